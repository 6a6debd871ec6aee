import { defineTool } from "@openeve/core";
import { addDays, differenceInCalendarDays, format, parseISO } from "date-fns";
export default defineTool({ description: "Dates.", inputSchema: { type: "object" }, execute: () => { const at = parseISO("2026-12-01T10:00:00Z"); return { next: format(addDays(at, 30), "yyyy-MM-dd"), days: differenceInCalendarDays(parseISO("2027-01-01"), at) }; } });

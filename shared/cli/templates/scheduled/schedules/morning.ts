import { defineSchedule } from "@openeve/core";

export default defineSchedule({
  // Minute, hour, day of the month, month, day of the week: at eight on working days.
  cron: "0 8 * * 1-5",
  timezone: "Europe/Berlin",
  message: "Good morning. Write today's note.",
  // The answer goes where this channel's replies go.
  channel: "message",
});

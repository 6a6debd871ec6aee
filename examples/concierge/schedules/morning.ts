import { defineSchedule } from "@openeve/core";

export default defineSchedule({
  cron: "0 8 * * *",
  timezone: "Europe/Berlin",
  message:
    "Good morning. Write the morning note for the guests at breakfast: what is open today within a short walk, " +
    "what is closed, and one thing worth getting up for. Five lines at most.",
  channel: "message",
});

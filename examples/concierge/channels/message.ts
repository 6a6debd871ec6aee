import { bearer, defineChannel, env } from "@openeve/core";

export default defineChannel({
  transport: "http",
  route: "/message",
  methods: ["POST"],
  auth: bearer(env("CONCIERGE_TOKEN")),
  reply: {
    url: env("CONCIERGE_REPLY_URL"),
    secret: env("CONCIERGE_REPLY_SECRET"),
  },
});

import { bearer, defineChannel, env } from "@openeve/core";

export default defineChannel({
  transport: "http",
  route: "/message",
  methods: ["POST"],
  auth: bearer(env("SOAK_TOKEN")),
  reply: {
    url: env("SOAK_REPLY_URL"),
    secret: env("SOAK_REPLY_SECRET"),
  },
});

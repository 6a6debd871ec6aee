import { bearer, defineChannel, env } from "@openeve/core";

export default defineChannel({
  transport: "http",
  route: "/message",
  methods: ["POST"],
  auth: bearer(env("LOAD_TOKEN")),
  reply: {
    url: env("LOAD_REPLY_URL"),
    secret: env("LOAD_REPLY_SECRET"),
  },
});

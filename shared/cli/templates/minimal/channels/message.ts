import { bearer, defineChannel, env } from "@openeve/core";

// POST /message with {"message": "…", "conversation": "…"}. On a developer's machine the variables may
// be unset: the answer is then read on the terminal, or at /runs/<run_id>.
export default defineChannel({
  transport: "http",
  route: "/message",
  methods: ["POST"],
  auth: bearer(env("AGENT_TOKEN")),
  reply: {
    url: env("AGENT_REPLY_URL"),
    secret: env("AGENT_REPLY_SECRET"),
  },
});

import { adapter, defineGateway } from "@openeve/core";

export default defineGateway({
  deploy: adapter("lambda"),
  runtime: adapter("lambda"),
  state: adapter("postgres"),
  blob: adapter("s3"),
  sandbox: adapter("virtual"),
  scheduler: adapter("gateway"),
});

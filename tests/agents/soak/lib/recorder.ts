/** What the model says about a call: the soak's message and the call's place in its plan. */
export interface Place {
  readonly message: number;
  readonly ordinal: number;
}

/** What identifies a call to a tool. */
interface Call {
  readonly runId: string;
  readonly toolCallId: string;
  readonly toolName: string;
  idempotencyKey(label: string): string;
}

/** Tells the recorder that a call runs now, under its idempotency key. */
export async function leaveTrace({ message, ordinal }: Place, ctx: Call): Promise<unknown> {
  const response = await fetch(`${process.env.SOAK_RECORDER_URL}/effect`, {
    method: "POST",
    headers: { "content-type": "application/json", "idempotency-key": ctx.idempotencyKey("effect") },
    body: JSON.stringify({ message, ordinal, run: ctx.runId, call: ctx.toolCallId, tool: ctx.toolName }),
  });
  if (!response.ok) {
    throw new Error(`the recorder answered ${response.status}`);
  }
  return await response.json();
}

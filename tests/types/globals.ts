// The globals that a tool has, and those it has not.

export async function used(): Promise<unknown> {
  const url = new URL("https://example.com/?a=1");
  url.searchParams.append("b", String(performance.now()));
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(), 100);
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", "x-id": crypto.randomUUID() },
    body: JSON.stringify({ key: process.env.KEY }),
    signal: AbortSignal.any([controller.signal, AbortSignal.timeout(5_000)]),
  });
  clearTimeout(timer);
  console.log(response.status, response.headers.get("etag"), [...response.headers]);
  const bytes = new TextEncoder().encode(btoa("a"));
  crypto.getRandomValues(bytes);
  return structuredClone({ text: new TextDecoder().decode(bytes), json: await response.json() });
}

// @ts-expect-error: there is no document.
document.title = "a";
// @ts-expect-error: there is no Buffer.
Buffer.from("a");
// @ts-expect-error: variables cannot be set.
process.env.KEY = "a";
// @ts-expect-error: a process has no arguments here.
process.argv;
// @ts-expect-error: an object is no body.
fetch("https://example.com", { method: "POST", body: { a: 1 } });

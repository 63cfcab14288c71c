import { call } from "../collector/api";

/**
 * Reads server-sent events until they end, and says the type of each. It uses fetch, since an EventSource can
 * carry a token only in its address.
 */
export async function readEvents(path: string, onEvent: (type: string) => void, signal: AbortSignal): Promise<void> {
  const response = await call(path, { accept: "text/event-stream", signal });
  if (!response.body) return;
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const lines = (rest + decoder.decode(value, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) if (line.startsWith("event: ")) onEvent(line.slice("event: ".length));
  }
}

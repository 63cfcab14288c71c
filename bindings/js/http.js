// One request to a collector: never redirected, no cookies, and an answer of bounded size within a bounded time.
import { FuturerandError } from "./module.js";

/** The most bytes of an answer to reports, and of a metric's definition. */
export const mostAnswer = 1 << 20;
export const mostDefinition = 8 << 20;

async function readText(response, most) {
  const reader = response.body?.getReader();
  if (reader === undefined) return "";
  const decoder = new TextDecoder();
  let text = "";
  for (let size = 0; ; ) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    size += value.length;
    if (size > most) throw new FuturerandError("refused", `the collector's answer is longer than ${most} bytes`);
    text += decoder.decode(value, { stream: true });
  }
}

/**
 * Gives the status and the text of the answer. Rejects with "refused" for a redirect or an answer that is too long:
 * what it would lead to is no collector that this client was given. Rejects with "unreachable" where there is no whole
 * answer in `timeout` milliseconds.
 */
export async function ask(address, { method = "GET", body, headers = {}, most, timeout }) {
  const ending = new AbortController();
  const timer = setTimeout(() => ending.abort(), timeout);
  try {
    const response = await fetch(address, {
      method,
      body,
      headers,
      redirect: "manual",
      credentials: "omit",
      referrerPolicy: "no-referrer",
      cache: "no-store",
      signal: ending.signal,
    });
    if (response.type === "opaqueredirect" || (response.status >= 300 && response.status < 400)) {
      throw new FuturerandError("refused", "the collector answered with a redirect; expected it at this address");
    }
    return { status: response.status, text: await readText(response, most) };
  } catch (cause) {
    if (cause instanceof FuturerandError) throw cause;
    const why = ending.signal.aborted ? `no whole answer in ${timeout} ms` : cause.message;
    throw new FuturerandError("unreachable", `the collector cannot be reached: ${why}`, { cause });
  } finally {
    clearTimeout(timer);
    ending.abort(); // what is left of an answer that is too long is not fetched
  }
}

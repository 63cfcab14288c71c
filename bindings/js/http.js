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
    if (size > most) throw new FuturerandError("untrusted", `the collector's answer is longer than ${most} bytes`);
    text += decoder.decode(value, { stream: true });
  }
}

// How Node names what is wrong with a certificate.
const untrusted = /CERT|SELF_SIGNED|UNABLE_TO_VERIFY|UNABLE_TO_GET_ISSUER|HOSTNAME_MISMATCH|INVALID_CA|PATH_LENGTH/;

/** No status alone makes a device give up: proxies and portals answer in place of collectors. */
function refusal(status, text) {
  let code = status >= 500 || status === 408 || status === 429 ? "unreachable" : "invalid";
  if (status === 401 || status === 403) code = "unauthorized";
  if (status === 404) code = "not_found";
  if (status < 400) code = "untrusted";
  return new FuturerandError(code, `the collector answered ${status}: ${text.slice(0, 4096)}`);
}

/**
 * Gives the text of the answer. Rejects with "untrusted" for a certificate that proves nothing, a
 * redirect, or an answer that is too long or no JSON: that is no collector that this client was given. (Browsers do not
 * say why they refused a certificate: there it is "unreachable".) Rejects with "unreachable" where there is no whole
 * answer in `timeout` milliseconds.
 */
export async function ask(address, { method = "GET", body, headers = {}, most, timeout, fetch }) {
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
      throw new FuturerandError("untrusted", "the collector answered with a redirect; expected it at this address");
    }
    const text = await readText(response, most);
    if (response.status !== 200) throw refusal(response.status, text);
    // A portal that asks for a password answers every request, with a page.
    if (!text.startsWith("{")) {
      throw new FuturerandError("untrusted", "the answer is no JSON; expected a collector at this address");
    }
    return text;
  } catch (cause) {
    if (cause instanceof FuturerandError) throw cause;
    const tls = cause.cause?.code ?? "";
    if (untrusted.test(tls)) {
      throw new FuturerandError("untrusted", `the collector's certificate is refused: ${cause.cause.message}`, { cause });
    }
    if (/^HPE_/.test(tls)) {
      throw new FuturerandError("untrusted", "the answer is not HTTP; expected a collector at this address", { cause });
    }
    const why = ending.signal.aborted ? `no whole answer in ${timeout} ms` : cause.message;
    throw new FuturerandError("unreachable", `the collector cannot be reached: ${why}`, { cause });
  } finally {
    clearTimeout(timer);
    ending.abort(); // what is left of an answer that is too long is not fetched
  }
}

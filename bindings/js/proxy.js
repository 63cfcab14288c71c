// fetch() for Node that goes through $HTTPS_PROXY to an HTTPS server, unless $NO_PROXY names its host, as the other
// languages do. Node's own fetch() knows neither.
import { request as plainRequest } from "node:http";
import { request as secureRequest } from "node:https";
import { Readable } from "node:stream";
import { FuturerandError } from "./module.js";

const variable = (name) => process.env[name.toLowerCase()] || process.env[name] || "";

/** Tells whether the list, "example.com,.internal,10.0.0.1" or "*", names this host or a domain of it. */
export function isExcepted(host, list) {
  const name = host.toLowerCase();
  return list
    .toLowerCase()
    .split(",")
    .map((entry) => entry.replaceAll(" ", ""))
    .map((entry) => (entry.startsWith(".") ? entry.slice(1) : entry))
    .some((entry) => entry === "*" || (entry !== "" && (name === entry || name.endsWith(`.${entry}`))));
}

/** Reads [http://][USER:PASSWORD@]HOST[:PORT]; the port is 1080 if none is given. */
export function readProxy(text) {
  const at = /^(?:http:\/\/)?(?:(.*)@)?(\[[0-9a-fA-F:.]+\]|[^:/?#@\s[\]]+)(?::(\d{1,5}))?\/?$/.exec(text);
  const port = Number(at?.[3] ?? 1080);
  if (at === null || at[1]?.includes("://") || port < 1 || port > 65535) {
    // What it is may hold a password: no message shows it.
    const message = "the proxy cannot be read; expected http://[USER:PASSWORD@]HOST[:PORT]";
    throw new FuturerandError("invalid", message);
  }
  const authorization = at[1] === undefined ? undefined : `Basic ${Buffer.from(at[1]).toString("base64")}`;
  return { host: at[2].replace(/^\[|\]$/g, ""), port, authorization };
}

/** Connects to the server through the proxy. */
function tunnel(proxy, target, signal) {
  const headers = { host: target };
  if (proxy.authorization !== undefined) headers["proxy-authorization"] = proxy.authorization;
  const options = {
    host: proxy.host,
    port: proxy.port,
    method: "CONNECT",
    path: target,
    headers,
    agent: false,
    signal,
  };
  return new Promise((resolve, reject) => {
    const fail = ({ statusCode: status }, socket) => {
      socket.destroy();
      if (status === 407) reject(new FuturerandError("unauthorized", "the proxy wants a name and a password (407)"));
      else reject(new FuturerandError("unreachable", `the proxy made no connection to ${target} (${status})`));
    };
    plainRequest(options)
      .once("connect", (answer, socket) => (answer.statusCode === 200 ? resolve(socket) : fail(answer, socket)))
      .once("response", (answer) => fail(answer, answer.socket))
      .once("error", (cause) => reject(new TypeError("the proxy cannot be reached", { cause })))
      .end();
  });
}

/** Makes one request over this connection. */
function exchange(socket, url, { method, headers, body, signal }) {
  return new Promise((resolve, reject) => {
    const fail = (cause) => {
      socket.destroy();
      reject(new TypeError(`fetch failed: ${cause.message}`, { cause }));
    };
    secureRequest(url, { method, headers, socket, agent: false, signal })
      .once("error", fail)
      .once("response", (answer) => {
        const empty = [204, 205, 304].includes(answer.statusCode);
        if (empty) answer.resume();
        resolve(new Response(empty ? null : Readable.toWeb(answer), { status: answer.statusCode }));
      })
      .end(body);
  });
}

/** Takes what http.js gives to fetch(), and follows no redirect. */
export async function fetchThroughProxy(address, init) {
  const url = new URL(address);
  const host = url.hostname.replace(/^\[|\]$/g, "");
  const proxy = isExcepted(host, variable("NO_PROXY")) ? "" : variable("HTTPS_PROXY");
  if (url.protocol !== "https:" || proxy === "") return fetch(address, init);
  const socket = await tunnel(readProxy(proxy), `${url.hostname}:${url.port || 443}`, init.signal);
  return exchange(socket, url, init);
}

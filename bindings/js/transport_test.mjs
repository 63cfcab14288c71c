// The package's requests and accepted answers, behind a proxy that delays, drops, redirects and never ends.
//   PACKAGE=... FUTURERAND=build/release/futurerand node --test bindings/js/transport_test.mjs
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { join, resolve } from "node:path";
import { after, before, beforeEach, test } from "node:test";
import { pathToFileURL } from "node:url";
import { Collector } from "../../tests/dashboard/collector.mjs";

const folder = resolve(process.env.PACKAGE);
const { Client, Device, FuturerandError, MemoryStore } = await import(pathToFileURL(join(folder, "node.js")).href);
const { isExcepted, readProxy } = await import(pathToFileURL(join(folder, "proxy.js")).href);
const coded = (code) => (error) => error instanceof FuturerandError && error.code === code;
const collector = new Collector(process.env.FUTURERAND, []);
const metric = { periods: 16, max_changes: 2, epsilon: "1", clock: "manual", protocol: "repeated" };
const took = (count) => ({ accepted: count, duplicates: 0, rejected: 0, errors: [] });

/** The lines of each metric of a request. */
function sectionsOf(body) {
  const sections = new Map();
  for (const line of String(body).trimEnd().split("\n")) {
    if (line.startsWith('{"metric":')) sections.set(JSON.parse(line).metric, []);
    else [...sections.values()].at(-1).push(line);
  }
  return sections;
}

/** The answer to a request; `answerOf(metric, lines)` gives the status and the answer of a section. */
const answered = (body, answerOf = (_, lines) => [200, took(lines.length)]) =>
  JSON.stringify({
    metrics: [...sectionsOf(body)].map(([metric, lines]) => {
      const [status, answer] = answerOf(metric, lines);
      return { metric, status, answer };
    }),
  });
const acceptedOf = (metric, count = 1) => JSON.stringify({ metrics: [{ metric, status: 200, answer: took(count) }] });

/** A server whose `answer(request, response, body)` may be changed; it notes every request. */
class Proxy {
  seen = [];
  answer = (request, response, body) => this.forward(request, response, body);

  async start() {
    this.server = createServer(async (request, response) => {
      const chunks = [];
      for await (const chunk of request) chunks.push(chunk);
      const body = Buffer.concat(chunks);
      this.seen.push({ method: request.method, url: request.url, headers: request.rawHeaders, body: String(body) });
      await this.answer(request, response, body);
    });
    await new Promise((listening) => this.server.listen(0, "127.0.0.1", listening));
    this.url = `http://127.0.0.1:${this.server.address().port}`;
  }

  async forward(request, response, body) {
    const init = request.method === "POST" ? { method: "POST", body } : {};
    const answer = await fetch(`${collector.url}${request.url}`, init);
    response.writeHead(answer.status, { "content-type": "application/json" }).end(await answer.text());
  }

  stop() {
    this.server.close();
    this.server.closeAllConnections?.();
  }
}

const proxy = new Proxy();
const elsewhere = new Proxy();

before(async () => {
  await collector.start();
  await proxy.start();
  await elsewhere.start();
  for (const name of ["overlap", "redirect", "long", "headers", "lost", "cookies", "retries"]) await collector.put(name, metric);
});
beforeEach(() => {
  proxy.answer = (request, response, body) => proxy.forward(request, response, body);
  proxy.seen = [];
  elsewhere.seen = [];
});
after(async () => {
  proxy.stop();
  elsewhere.stop();
  await collector.remove();
});

const open = (name, options = {}) =>
  Client.open({ url: proxy.url, metric: name, store: new MemoryStore(), ceiling: "4", token: "secret", ...options });

test("sends that overlap lose nothing", async () => {
  const client = await open("overlap");
  await client.observe(1, 1);
  let answerFirst;
  const held = new Promise((resolve) => (answerFirst = resolve));
  let posts = 0;
  proxy.answer = async (request, response, body) => {
    if (++posts === 1) await held;
    if (posts === 2) return response.writeHead(400).end("no"); // the second send fails for good
    return proxy.forward(request, response, body);
  };
  const first = client.send();
  while (posts === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  await collector.advance("overlap");
  await collector.advance("overlap");
  await client.observe(3, 0);
  const due = await client.lines();
  await assert.rejects(client.send(), coded("invalid"));
  posts = 9;
  answerFirst();
  await first;
  const left = await client.lines();
  assert.notEqual(left, "");
  assert.ok(due.endsWith(left), left);
  assert.equal(JSON.parse(left).index, 1);
  await client.send();
  assert.equal(await client.lines(), "");
  const sums = await collector.call("v1/metrics/overlap/sums");
  assert.deepEqual(sums.views[0].counts.slice(0, 3), [1, 1, 0]);
  await client.close();
});

test("redirects are not followed, and the token and the lines go nowhere else", async () => {
  const client = await open("redirect");
  await client.observe(1, 1);
  elsewhere.answer = (_, response) => response.writeHead(200).end(acceptedOf("redirect"));
  for (const status of [300, 301, 302, 303, 307, 308, 399]) {
    proxy.answer = (_, response) => response.writeHead(status, { location: `${elsewhere.url}/` }).end();
    proxy.seen = [];
    const redirected = (error) => coded("untrusted")(error) && error.message.includes("redirect");
    await assert.rejects(client.send(), redirected, String(status));
    assert.equal(proxy.seen.length, 1); // nor is it tried again
    await assert.rejects(open("redirect"), coded("untrusted"), String(status));
  }
  proxy.answer = (_, response) => response.writeHead(400).end();
  await assert.rejects(client.send(), ({ message }) => message.includes("answered 400"));
  assert.deepEqual(elsewhere.seen, []);
  assert.notEqual(await client.lines(), "");
  await client.close();
});

test("each status has a code, and none says give up", async () => {
  const client = await open("redirect");
  await client.observe(1, 1);
  const codes = [
    [401, "unauthorized"],
    [403, "unauthorized"],
    [407, "unreachable"], // fetch gives no answer of that status
    [404, "not_found"],
    [408, "unreachable"],
    [429, "unreachable"],
    [503, "unreachable"],
    [511, "unreachable"],
    [400, "invalid"],
    [409, "invalid"],
    [410, "invalid"],
    [201, "untrusted"],
    [200, "untrusted"], // a portal's page
  ];
  for (const [status, code] of codes) {
    proxy.answer = (_, response) => response.writeHead(status).end("<html>log in</html>");
    const coming = (error) => coded(code)(error) && error.action !== "give_up";
    await assert.rejects(client.send({ attempts: 1 }), coming, String(status));
    await assert.rejects(open("redirect"), coming, String(status));
  }
  assert.notEqual(await client.lines(), "");
  await client.close();
});

test("answers are bounded in size and in time", async () => {
  // Nothing waits for the deadline of an answer that has come.
  const deadlines = [];
  const { setTimeout: set, clearTimeout: clear } = globalThis;
  globalThis.setTimeout = (body, after, ...given) => {
    const timer = set(body, after, ...given);
    if (after === 600_000) deadlines.push(timer);
    return timer;
  };
  globalThis.clearTimeout = (timer) => {
    clear(timer);
    if (deadlines.includes(timer)) deadlines.splice(deadlines.indexOf(timer), 1);
  };
  await (await open("long", { timeout: 600_000 })).close();
  Object.assign(globalThis, { setTimeout: set, clearTimeout: clear });
  assert.deepEqual(deadlines, []);
  const client = await open("long", { timeout: 600_000 });
  await client.observe(1, 1);
  // Gets its metric at once, on however busy a machine.
  const metric = await (await fetch(`${proxy.url}/v1/metrics/long`)).text();
  const atOnce = async (address, init) => (init.method === "GET" ? new Response(metric) : fetch(address, init));
  const hasty = await open("long", { timeout: 300, fetch: atOnce });
  await hasty.observe(1, 1);
  const long = acceptedOf("long");
  const padded = (size) => long + " ".repeat(size - long.length);
  for (const headers of [{}, { "content-length": "1048577" }]) {
    proxy.answer = (_, response) => response.writeHead(200, headers).end(padded((1 << 20) + 1));
    await assert.rejects(client.send(), coded("untrusted"));
  }
  proxy.answer = (_, response) => response.writeHead(200).end(" ".repeat((8 << 20) + 1));
  await assert.rejects(open("long"), coded("untrusted"));
  // It ends, a byte at a time, in an hour.
  proxy.answer = (_, response) => {
    response.writeHead(200);
    const drip = setInterval(() => response.write(" "), 20);
    response.on("close", () => clearInterval(drip));
  };
  await assert.rejects(hasty.send({ attempts: 1 }), coded("unreachable"));
  await assert.rejects(open("long", { timeout: 300 }), coded("unreachable"));
  assert.notEqual(await hasty.lines(), "");
  await hasty.close();
  // What is left of an answer that is too long is not fetched.
  const gone = new Promise((resolve) => {
    proxy.answer = (_, response) => {
      response.writeHead(200).write(padded(2 << 20));
      response.on("close", resolve);
    };
  });
  await assert.rejects(client.send({ attempts: 1 }), coded("untrusted"));
  await gone;
  // A letter that comes in two parts is one letter.
  proxy.answer = (_, response) => {
    response.writeHead(400).write(Buffer.from([0x7b, 0xc3]));
    setTimeout(() => response.end(Buffer.from([0xa9, 0x7d])), 50);
  };
  await assert.rejects(client.send(), ({ message }) => message.includes("{\u00e9}"));
  proxy.answer = (_, response) => response.writeHead(200).end(padded(1 << 20));
  await client.send();
  assert.equal(await client.lines(), "");
  await client.close();
});

test("no request carries cookies or a referrer, is kept, or follows a redirect", async () => {
  const { fetch } = globalThis;
  const noted = [];
  globalThis.fetch = (address, init) => {
    const { redirect, credentials, referrerPolicy, cache } = init;
    // The proxy asks the collector by the same function.
    if (String(address).startsWith(proxy.url)) noted.push({ redirect, credentials, referrerPolicy, cache });
    return fetch(address, init);
  };
  try {
    const client = await open("cookies");
    await client.observe(3, 1);
    await client.send();
    await client.close();
  } finally {
    globalThis.fetch = fetch;
  }
  const expected = { redirect: "manual", credentials: "omit", referrerPolicy: "no-referrer", cache: "no-store" };
  assert.deepEqual(noted, [expected, expected]); // the definition, and the lines
});

test("what the collector lost is sent again", async () => {
  const client = await open("lost");
  await client.observe(4, 1);
  const first = await client.lines();
  proxy.answer = (_, response, body) => response.writeHead(200).end(answered(body));
  await client.send();
  await client.observe(5, 1);
  const lost = { accepted: 0, duplicates: 0, rejected: 1, errors: [{ line: 1, reason: "unknown_client" }] };
  const restored = (_, lines) => [200, lines.length === 1 ? lost : took(lines.length)];
  proxy.answer = (_, response, body) => response.writeHead(200).end(answered(body, restored));
  const { answer } = await client.send();
  assert.equal(answer.accepted, 2);
  const [enrolment, report] = sectionsOf(proxy.seen.at(-1).body).get("lost").map((line) => JSON.parse(line));
  const [before, signs] = first.trimEnd().split("\n").map((line) => JSON.parse(line));
  assert.deepEqual(enrolment, before);
  assert.equal(report.signs.slice(0, -1), signs.signs);
  assert.equal(await client.lines(), "");
  await client.close();
});

test("requests say nothing but their lines, at no other time, whatever the value is", async () => {
  const { setTimeout: timer } = globalThis;
  const noted = [];
  const run = async (value) => {
    const delays = [];
    globalThis.setTimeout = (body, delay, ...rest) => {
      if (new Error().stack.includes(folder)) delays.push(delay); // Node's fetch has timers of its own
      return timer(body, delay, ...rest);
    };
    proxy.seen = [];
    try {
      const client = await open("headers");
      await client.observe(1, value);
      await client.observe(4, value);
      await client.send();
      await client.close();
    } finally {
      globalThis.setTimeout = timer;
    }
    const requests = proxy.seen.map(({ method, url, headers }) => {
      const pairs = headers.map((name, i) => (i % 2 === 0 ? [name.toLowerCase(), headers[i + 1]] : null)).filter(Boolean);
      return { method, url, headers: Object.fromEntries(pairs) };
    });
    noted.push({ requests, delays });
  };
  proxy.answer = (request, response, body) =>
    request.method === "GET"
      ? proxy.forward(request, response, body)
      : response.writeHead(200).end(answered(body));
  await run(0);
  await run(1);
  assert.deepEqual(noted[1], noted[0]);
  const [{ requests, delays }] = noted;
  assert.deepEqual(
    requests.map(({ method, url }) => `${method} ${url}`),
    ["GET /v1/metrics/headers", "POST /v1/reports"],
  );
  assert.deepEqual(delays, [30_000, 30_000]); // the deadlines of two answers
  // Those of Node's fetch, and the token.
  const usual = ["accept", "accept-encoding", "accept-language", "authorization", "cache-control", "connection", "host"];
  const also = ["pragma", "sec-fetch-mode", "user-agent"];
  assert.deepEqual(Object.keys(requests[0].headers).sort(), [...usual, ...also].sort());
  assert.deepEqual(
    Object.keys(requests[1].headers).sort(),
    [...usual, ...also, "content-length", "content-type"].sort(),
  );
  assert.equal(requests[1].headers.authorization, "Bearer secret");
  assert.equal(requests[1].headers["content-type"], "text/plain;charset=UTF-8");
  assert.match(requests[1].headers["user-agent"], /^(node|undici)$/);
});

test("what may succeed later is tried again after pauses that grow, and nothing else is", async () => {
  const timeout = 29_999; // no pause is as long
  const client = await open("retries", { timeout });
  await client.observe(1, 1);
  const { setTimeout: timer } = globalThis;
  const { random } = Math;
  const events = [];
  globalThis.setTimeout = (body, delay, ...rest) => {
    if (!new Error().stack.includes(folder) || delay === timeout) return timer(body, delay, ...rest);
    return timer(() => {
      events.push(delay);
      body();
    }, 10);
  };
  Math.random = () => 0.5;
  const tries = async (status, options) => {
    events.length = 0;
    proxy.answer = (_, response) => {
      events.push("asked");
      response.writeHead(status).end("no");
    };
    const code = await client.send(options).then(
      () => "ok",
      (error) => error.code,
    );
    return [code, ...events];
  };
  try {
    for (const status of [408, 429, 500, 503, 599]) {
      assert.deepEqual(await tries(status, { attempts: 2 }), ["unreachable", "asked", 100, "asked"], `${status}`);
      assert.deepEqual(await tries(status, { attempts: 1 }), ["unreachable", "asked"], `${status}`);
    }
    const atOnce = { 201: "untrusted", 401: "unauthorized", 403: "unauthorized", 404: "not_found" };
    for (const status of [201, 400, 401, 403, 404, 409, 410, 413, 428, 430, 499]) {
      assert.deepEqual(await tries(status), [atOnce[status] ?? "invalid", "asked"], `${status}`);
    }
    const five = ["unreachable", "asked", 100, "asked", 200, "asked", 400, "asked", 800, "asked"];
    assert.deepEqual(await tries(503), five);
    const long = ["unreachable", "asked", 25_000, "asked", 30_000, "asked", 30_000, "asked"];
    assert.deepEqual(await tries(503, { attempts: 4, firstDelay: 50_000 }), long);
    // An answer that is none is no acknowledgement.
    for (const answer of ["", "{", "{}", acceptedOf("retries", 3), acceptedOf("other")]) {
      proxy.answer = (_, response) => response.writeHead(200).end(answer);
      const none = ({ code }) => code === "invalid" || code === "untrusted";
      await assert.rejects(client.send({ attempts: 1 }), none, answer);
    }
  } finally {
    globalThis.setTimeout = timer;
    Math.random = random;
  }
  assert.notEqual(await client.lines(), "");
  await client.close();
});

test("a collector has an address of HTTP, and nothing else is asked", async () => {
  const fetch = () => assert.fail("nobody is asked");
  for (const url of [undefined, null, "", "counts.example", "ftp://counts.example", "https://", "https://me:secret@counts.example",
    "https://counts.example/?a", "https://counts.example/#a"]) {
    const open = Client.open({ url, metric: "m", store: new MemoryStore(), fetch });
    await assert.rejects(open, (error) => error.code === "invalid" && error.message.includes("expected an address"), String(url));
  }
});

test("a timeout is a positive time, and a definition is that of the metric asked for", async () => {
  for (const timeout of [0, -1, NaN, "soon", null]) await assert.rejects(open("retries", { timeout }), coded("invalid"));
  proxy.answer = (_, response) => setTimeout(() => response.writeHead(500).end(), 200);
  for (const timeout of [0.5, 1]) await assert.rejects(open("retries", { timeout }), coded("unreachable"));
  for (const metric of [undefined, null, 5]) await assert.rejects(open(metric), coded("invalid"));
  const statuses = { 404: "not_found", 403: "unauthorized", 405: "invalid", 500: "unreachable", 201: "untrusted" };
  for (const [status, code] of Object.entries(statuses)) {
    proxy.answer = (_, response) => response.writeHead(Number(status)).end("{}");
    await assert.rejects(open("retries"), coded(code), status);
  }
  for (const [text, code] of [["{", "untrusted"], ['{"name":"other"}', "untrusted"], ['{"name":"retries"}', "invalid"]]) {
    proxy.answer = (_, response) => response.writeHead(200).end(text);
    await assert.rejects(open("retries"), coded(code), text);
  }
});

test("a client that is given a device leaves it open", async () => {
  const device = await Device.open({ store: new MemoryStore(), ceiling: "4" });
  const client = await open("retries", { device, store: undefined });
  assert.equal(client.device, device);
  await client.close();
  assert.equal((await device.ledger()).metrics.length, 1);
  await device.close();
});

test("all metrics of a device go in one request, and each has an answer of its own", async () => {
  for (const name of ["one", "two", "three"]) await collector.put(name, metric);
  const device = await Device.open({ store: new MemoryStore(), ceiling: "4" });
  const clients = {};
  for (const name of ["one", "two", "three"]) {
    clients[name] = await open(name, { device, store: undefined });
    await clients[name].observe(1, 1);
  }
  const posts = () => proxy.seen.filter(({ method }) => method === "POST");
  const lines = await clients.two.lines();
  let tries = 0;
  const busy = (name, all) => {
    if (name === "one") return [200, { accepted: 0, duplicates: 0, rejected: 1, errors: [{ line: 1, reason: "closed" }] }];
    if (name === "two" && ++tries < 3) return [[429, 503][tries - 1], { error: { code: "rate", message: "later" } }];
    return [200, took(all.length)];
  };
  proxy.answer = (request, response, body) => response.writeHead(200).end(answered(body, busy));
  // One metric is refused for good, one is tried again as it was, and one is taken at once.
  await assert.rejects(device.send({ firstDelay: 1 }), coded("refused"));
  assert.deepEqual(
    posts().map(({ url, body }) => [url, ...sectionsOf(body).keys()]),
    [["/v1/reports", "one", "two", "three"], ["/v1/reports", "two"], ["/v1/reports", "two"]],
  );
  for (const { body } of posts()) assert.ok(body.includes(`{"metric":"two"}\n${lines}`));
  assert.equal(await clients.two.lines(), "");
  assert.equal(await clients.three.lines(), "");
  assert.notEqual(await clients.one.lines(), "");
  // It gives up in the end, and the lines wait.
  proxy.answer = (request, response, body) => response.writeHead(200).end(answered(body, () => [503, null]));
  proxy.seen = [];
  await assert.rejects(device.send({ attempts: 2, firstDelay: 1 }), coded("unreachable"));
  assert.equal(posts().length, 2);
  proxy.answer = (request, response, body) => proxy.forward(request, response, body);
  const { lines: left, answer } = await device.send();
  assert.equal(left, await lineOf(posts().at(-1).body));
  assert.equal(answer.accepted, 1);
  assert.deepEqual(await device.send(), { lines: "", answer: null });
  // A client that is closed while its answer is awaited is left alone.
  await clients.three.observe(2, 1);
  await clients.three.beginPeriod(3);
  proxy.answer = async (request, response, body) => {
    await clients.three.close();
    response.writeHead(200).end(answered(body));
  };
  await assert.rejects(device.send(), coded("invalid"));
  for (const client of Object.values(clients)) await client.close();
  await device.close();
});

const lineOf = (body) => [...sectionsOf(body).values()].flat().map((line) => `${line}\n`).join("");

// The same table as that of C++: futurerand/transport/proxy_test.cpp.
test("a proxy and its exceptions are read as in the other languages", () => {
  const read = (text) => {
    try {
      const { host, port, authorization = "" } = readProxy(text);
      return `${host} ${port} ${authorization}`;
    } catch (error) {
      assert.ok(coded("invalid")(error) && !error.message.includes("secret"));
      return "refused";
    }
  };
  assert.equal(read("http://proxy:3128/"), "proxy 3128 ");
  assert.equal(read("proxy.example"), "proxy.example 1080 ");
  assert.equal(read("http://[::1]:8080"), "::1 8080 ");
  assert.equal(read("http://Aladdin:open sesame@proxy:80"), "proxy 80 Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==");
  assert.equal(read("a:b@c"), "c 1080 Basic YTpi");
  const wrong = ["", "http://", "https://proxy", "socks5://proxy:1", "socks5://me:secret@proxy", "proxy:0", "proxy:x"];
  for (const text of [...wrong, "proxy:99999", "http://pro xy", "proxy/path"]) assert.equal(read(text), "refused", text);
  const excepted = [["a.example.com", "x, example.com"], ["A.Example.com", ".EXAMPLE.com"], ["example.com", ".example.com"]];
  for (const [host, list] of [...excepted, ["10.0.0.1", "10.0.0.1"], ["anything", "*"]]) assert.ok(isExcepted(host, list), host);
  const others = [["badexample.com", "example.com"], ["example.com", "a.example.com,,"], ["example.com", ""]];
  for (const [host, list] of others) assert.ok(!isExcepted(host, list), `${host} ${list}`);
});

test("a proxy that makes no connection is named, and the server is not asked without it", async () => {
  const connects = [];
  const through = createServer().listen(0, "127.0.0.1");
  let status = 407;
  through.on("connect", (request, socket) => {
    connects.push([request.url, request.headers["proxy-authorization"]]);
    socket.end(`HTTP/1.1 ${status} no\r\ncontent-length: 0\r\n\r\n`);
  });
  await once(through, "listening");
  const saved = { ...process.env };
  try {
    for (const name of ["https_proxy", "no_proxy", "NO_PROXY"]) delete process.env[name];
    process.env.HTTPS_PROXY = `http://me:secret@127.0.0.1:${through.address().port}`;
    const url = "https://collector.invalid:8443";
    await assert.rejects(open("any", { url }), (error) => coded("unauthorized")(error) && error.message.includes("407"));
    status = 502;
    await assert.rejects(open("any", { url }), (error) => coded("unreachable")(error) && error.message.includes("502"));
    assert.deepEqual(connects, [1, 2].map(() => ["collector.invalid:8443", "Basic bWU6c2VjcmV0"]));
    through.close();
    await once(through, "close");
    await assert.rejects(open("any", { url }), (error) => coded("unreachable")(error) && !error.message.includes("secret"));
    // It is for HTTPS servers only.
    const client = await open("cookies");
    await client.close();
  } finally {
    for (const name of Object.keys(process.env)) if (!(name in saved)) delete process.env[name];
    Object.assign(process.env, saved);
  }
});

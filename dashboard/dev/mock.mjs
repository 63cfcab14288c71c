// A stand-in for the collector while it is being written: node dev/mock.mjs [PORT]
import { createServer } from "node:http";
import { readFileSync, existsSync } from "node:fs";
import { join, extname } from "node:path";
const port = Number(process.argv[2] ?? 8080);
const dist = process.env.DIST ?? new URL("../dist", import.meta.url).pathname;
let seed = 7;
const random = () => ((seed = (seed * 1103515245 + 12345) % 2147483648) / 2147483648);
const normal = () => Math.sqrt(-2 * Math.log(random() + 1e-12)) * Math.cos(6.283 * random());
const choose = (n, k) => { let r = 1n; for (let i = 0n; i < k; ++i) r = (r * (n - i)) / (i + 1n); return r; };
const law = (k, tau, eps) => {
  const E = BigInt(Math.floor(Math.exp(eps) * 1e12) - 2); const D = 10n ** 12n;
  let B = 0n; for (let i = 0n; i <= BigInt(tau); ++i) B += choose(BigInt(k), i);
  return { shape: "threshold", signs: k, tau, low_side: String((2n ** 64n * E * B) / ((E - D) * B + D * 2n ** BigInt(k))) };
};
const views = (eps) => [
  { kind: "changes", order: 0, weight: 390000000, law: law(4, 1, eps) },
  { kind: "changes", order: 1, weight: 520000000, law: law(4, 1, eps) },
  { kind: "changes", order: 2, weight: 640000000, law: law(4, 1, eps) },
  { kind: "snapshot", order: 3, weight: 2744967296, law: law(1, 0, eps) },
];
const shapes = {
  s: (x) => 0.62 / (1 + Math.exp(-9 * (x - 0.55))) + 0.03,
  season: (x) => 0.3 + 0.12 * Math.sin(x * 19) + 0.1 * x,
  flat: () => 0.41,
};
const metrics = {};
function make(name, description, periods, devices, eps, shape, now, clock = {}) {
  const noise = []; let drift = 0;
  for (let t = 1; t <= periods; ++t) { drift = t % 8 === 0 ? drift * 0.35 + normal() * 0.6 : drift + normal() * 0.25; noise.push(drift); }
  metrics[name] = { name, description, periods, devices, eps, shape: shapes[shape], now, noise, clock, listeners: new Set() };
}
const day = 86400, t0 = Math.floor(Date.now() / 1000);
make("dark-mode", "Is dark mode switched on?", 256, 100000, 1, "s", 213, { start: t0 - 212 * day, period_seconds: day });
make("large-files", "Does this machine hold a file over 1 GB?", 64, 20345, 1, "season", 41, { clock: "manual" });
make("vpn", "Is a VPN connected at the end of the hour?", 4096, 1250000, 0.5, "season", 4000, { start: t0 - 4000 * 3600, period_seconds: 3600 });
make("beta-opt-in", "Has this user joined the beta?", 128, 0, 1, "flat", 1, { clock: "manual" });
const shape = (m) => ({
  name: m.name, description: m.description, ...m.clock, current_period: m.now, devices: m.devices,
  reports: m.devices * m.now * 0.3 | 0, duplicates: m.devices * 0.002 | 0, rejected: m.devices * 0.0004 | 0,
  plan: { protocol: "hybrid", periods: m.periods, max_changes: 4, epsilon: String(m.eps), views: views(m.eps) },
  views: views(m.eps).map((v) => ({ devices: Math.round((m.devices * v.weight) / 2 ** 32) })),
  certificate: { certified: true, exact_epsilon: m.eps, views: views(m.eps).map(() => ({ certified: true, exact_epsilon: m.eps, gap: 0.3 })) },
});
const z = { pointwise: 1.96, simultaneous: 3.6 };
const estimates = (m, q) => {
  const band = z[q.get("band") ?? "pointwise"]; const kind = q.get("estimator") ?? "online";
  const scale = kind === "trend" ? 0.35 : kind === "hindsight" ? 0.7 : 1;
  const sd = Math.sqrt(m.devices) * 5.8 / m.eps * scale;
  const periods = [];
  for (let t = 1; t < m.now && m.devices; ++t) {
    const estimate = m.devices * m.shape(t / m.periods) + m.noise[t - 1] * sd * 0.8;
    const s = sd * (0.8 + 0.4 * ((t % 8) / 8));
    const expected = Math.round(m.devices * 0.3);
    periods.push({ period: t, estimate, stddev: s, lower: estimate - band * s, upper: estimate + band * s, reports: Math.round(expected * (t > m.now - 3 ? 0.91 : t % 37 === 5 ? 0.82 : 0.992)), expected });
  }
  return { estimator: kind, level: 0.95, assumption: kind === "trend" ? "The count moves as a random walk." : "", periods };
};
setInterval(() => { for (const m of Object.values(metrics)) if (m.name === "large-files" && m.now <= m.periods) { m.now += 1; for (const l of m.listeners) l.write(`event: period\ndata: {"period":${m.now}}\n\n`); } }, 1500);
const types = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml", ".woff2": "font/woff2" };
createServer((req, res) => {
  const url = new URL(req.url, "http://x"); const parts = url.pathname.split("/").filter(Boolean);
  const json = (body, status = 200) => { res.writeHead(status, { "content-type": "application/json" }); res.end(JSON.stringify(body)); };
  if (url.pathname === "/healthz") return json({ status: "ok", demo: true });
  if (url.pathname === "/v1/plan") {
    const n = Number(url.searchParams.get("users")), d = Number(url.searchParams.get("periods")), eps = Number(url.searchParams.get("epsilon")), k = Number(url.searchParams.get("changes"));
    const base = Math.sqrt(n) * Math.log2(d + 1) * Math.sqrt(k) / eps;
    const rows = [["hybrid", 1.3], ["optimal", 3.9], ["snapshot", 0.7 * Math.sqrt(d) / Math.log2(d + 1)], ["warner", 4 * k], ["erlingsson", 9 * k], ["bun", 19], ["future_rand", 16], ["repeated", 2 * d]];
    return json({ recommended: "hybrid", protocols: rows.map(([name, f]) => ({ name, sequence_private: true, exact_epsilon: eps, predicted_rmse: base * f, predicted_max_error: base * f * 3.4, users_needed: 1e4 * f * f })) });
  }
  if (parts[0] === "v1" && parts[1] === "metrics") {
    if (parts.length === 2) return json({ metrics: Object.values(metrics).map(shape) });
    const m = metrics[decodeURIComponent(parts[2])];
    if (!m) return json({ error: { code: "not_found", message: `there is no metric '${parts[2]}'` } }, 404);
    if (parts.length === 3) return json(shape(m));
    if (parts[3] === "estimates") return json(estimates(m, url.searchParams));
    if (parts[3] === "events") { res.writeHead(200, { "content-type": "text/event-stream" }); res.write(": hello\n\n"); m.listeners.add(res); req.on("close", () => m.listeners.delete(res)); return; }
  }
  const file = join(dist, url.pathname === "/" ? "index.html" : url.pathname);
  if (!existsSync(file)) return json({ error: { code: "not_found", message: "no such file" } }, 404);
  res.writeHead(200, { "content-type": types[extname(file)] ?? "application/octet-stream", "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; font-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'" });
  res.end(readFileSync(file));
}).listen(port, "127.0.0.1", () => console.log(`http://127.0.0.1:${port}/`));

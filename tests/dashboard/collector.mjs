// The real collector as a child process, on a port of its own, the same after a restart.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

/** A free port below the system's ephemeral ones, so that no client has it while the collector restarts. */
async function freePort() {
  for (;;) {
    const port = 10_000 + Math.floor(22_000 * Math.random());
    const probe = createServer();
    const free = await new Promise((done) => {
      probe.once("error", () => done(false));
      probe.listen(port, "127.0.0.1", () => done(true));
    });
    if (!free) continue;
    await new Promise((done) => probe.close(done));
    return port;
  }
}

export class Collector {
  token = "a token for one test";
  #folder = mkdtempSync(join(tmpdir(), "futurerand-page-"));
  #port = 0;
  #child = null;

  /** Takes flags of `serve` beside those that every collector needs. */
  constructor(binary, flags = ["--demo"]) {
    this.binary = binary;
    this.flags = flags;
    writeFileSync(join(this.#folder, "token"), `${this.token}\n`);
  }

  /** This folder goes with the collector. */
  get folder() {
    return this.#folder;
  }

  get url() {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** Starts it, the second time on the same port. Another test may have taken that meanwhile. */
  async start() {
    for (const end = performance.now() + 300_000; ; await new Promise((done) => setTimeout(done, 1000))) {
      this.#port ||= await freePort();
      const said = await this.#attempt();
      if (said === null) return;
      const taken = /cannot listen on .* in use/.test(said);
      if (!taken || performance.now() > end) throw new Error(`the collector did not start: ${said}`);
    }
  }

  /** Returns null once it listens, or else what it said. */
  async #attempt() {
    const data = join(this.#folder, "data");
    const token = join(this.#folder, "token");
    this.#child = spawn(
      this.binary,
      [
        "serve",
        ...this.flags,
        "--data",
        data,
        "--create",
        "--listen",
        `127.0.0.1:${this.#port}`,
        "--admin-token-file",
        token,
      ],
      { stdio: ["ignore", "ignore", "pipe"] },
    );
    const said = [];
    for await (const line of createInterface({ input: this.#child.stderr })) {
      said.push(line);
      if (!line.includes("listening on http://")) continue;
      this.#child.stderr.resume();
      return null;
    }
    return said.join("\n");
  }

  async kill(signal) {
    if (!this.#child || this.#child.exitCode !== null) return;
    const gone = once(this.#child, "exit");
    this.#child.kill(signal);
    await gone;
    this.#child = null;
  }

  async remove() {
    await this.kill("SIGKILL");
    rmSync(this.#folder, { recursive: true });
  }

  async call(path, { method = "GET", body, accept = "application/json", admin = false } = {}) {
    const headers = {
      accept,
      ...(admin ? { authorization: `Bearer ${this.token}` } : {}),
    };
    const response = await fetch(`${this.url}/${path}`, {
      method,
      headers,
      body,
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return accept === "application/json" ? JSON.parse(text) : text;
  }

  advance(name) {
    return this.call(`v1/metrics/${name}/advance`, { method: "POST", admin: true });
  }

  put(name, body) {
    return this.call(`v1/metrics/${name}`, {
      method: "PUT",
      body: JSON.stringify(body),
      admin: true,
    });
  }

  /** Sends lines in bodies of a size that the collector takes. All of them must be accepted. */
  async post(name, lines) {
    for (let at = 0; at < lines.length; at += 20_000) {
      const body = lines.slice(at, at + 20_000).join("\n");
      const answer = await this.call(`v1/metrics/${name}/reports`, {
        method: "POST",
        body,
      });
      if (answer.rejected > 0) throw new Error(`rejected: ${JSON.stringify(answer.errors.slice(0, 3))}`);
    }
  }
}

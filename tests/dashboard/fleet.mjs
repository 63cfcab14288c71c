// A fleet as raw lines: devices with reproducible noise, run by `futurerand randomize` over a file of values. The lines
// are cut into periods by their due time.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { binary, noiseSeed } from "./session.mjs";

/** Returns where each device changes; it holds the state while the curve is above its rank. */
function valuesFile(periods, size, truth) {
  const rows = ["user,period,value"];
  for (let user = 0; user < size; ++user) {
    const rank = (user + 0.5) / size;
    for (let t = 1, held = 0; t <= periods; ++t) {
      const value = truth(t / periods) > rank ? 1 : 0;
      if (value !== held) rows.push(`${user},${t},${(held = value)}`);
    }
  }
  return `${rows.join("\n")}\n`;
}

let fleets = 0;

export class Fleet {
  /** truth(share) tells which part of the devices holds the state after this share of the periods. */
  constructor(plan, size, truth) {
    const folder = mkdtempSync(join(tmpdir(), "futurerand-fleet-"));
    const values = join(folder, "values.csv");
    writeFileSync(values, valuesFile(plan.periods, size, truth));
    const flags = { protocol: plan.protocol, periods: plan.periods, changes: plan.max_changes, epsilon: plan.epsilon };
    // Fleets of one metric need different clients.
    const seed = 1000 * noiseSeed + ++fleets;
    const sent = execFileSync(
      binary,
      [
        "randomize",
        "--seed",
        seed,
        "--values",
        values,
        "--users",
        size,
        ...Object.entries(flags).flatMap(([k, v]) => [`--${k}`, v]),
      ],
      { encoding: "utf8", maxBuffer: 2 ** 30, stdio: ["ignore", "pipe", "ignore"] },
    );
    rmSync(folder, { recursive: true });
    const [, ...lines] = sent.trim().split("\n");
    this.period = 0;
    this.joining = lines.filter((line) => line.includes('"view"'));
    const viewOf = new Map(this.joining.map(JSON.parse).map(({ client, view }) => [client, plan.views[view]]));
    this.sending = lines
      .filter((line) => !line.includes('"view"'))
      .map(JSON.parse)
      .map(({ client, index, signs }) => {
        const { kind, order, law } = viewOf.get(client);
        const step = kind === "snapshot" ? Math.ceil((plan.periods >> order) / law.signs) : 1;
        return { client, index, signs, order, step };
      });
  }

  enrolments() {
    return this.joining;
  }

  /** Returns what has come due since the last call, up to the end of `period`. */
  reports(period) {
    const lines = [];
    for (const { client, index, signs, order, step } of this.sending) {
      const due = (end) => Math.min(signs.length, Math.max(0, Math.floor(((end >> order) - index) / step) + 1));
      const [before, now] = [due(this.period), due(period)];
      if (now > before)
        lines.push(JSON.stringify({ client, index: index + before * step, signs: signs.slice(before, now) }));
    }
    this.period = period;
    return lines;
  }
}

// A fleet as raw lines: devices that follow a metric's public plan. It uses the page's own device, so
// that what the page explains is what the collector counts.
import { randomBytes, webcrypto } from "node:crypto";
import { dashboard, load } from "./dashboard.mjs";

// Node 18 keeps what browsers have under another name.
globalThis.crypto ??= webcrypto;

const { drawCoins, drawSigns, inputs, randomize } = await load(`${dashboard}/src/device.ts`);

export class Fleet {
  /** `truth(share)`: which part of the devices holds the state after this share of the periods. */
  constructor(plan, size, truth) {
    this.plan = plan;
    this.period = 0;
    const total = plan.views.reduce((sum, view) => sum + view.weight, 0);
    this.devices = Array.from({ length: size }, (_, i) => {
      let left = Math.random() * total;
      const number = plan.views.findIndex((view) => (left -= view.weight) < 0);
      const view = plan.views[number];
      const length = plan.periods >> view.order;
      // A device switches on when the curve passes its rank, once, and stays.
      const rank = (i + 0.5) / size;
      const values = Array.from({ length }, (_, j) => (truth(((j + 1) << view.order) / plan.periods) > rank ? 1 : 0));
      const snapshot = view.kind === "snapshot" ? Math.floor(Math.random() * length) : -1;
      const from = inputs(view, values, snapshot);
      const signs = randomize(view.law, drawSigns(view.law), drawCoins(from.length), from).map(({ sign }) => (sign > 0 ? "+" : "-")).join("");
      return { id: randomBytes(16).toString("hex"), number, order: view.order, snapshot, signs };
    });
  }

  enrolments() {
    return this.devices.map(({ id, number, snapshot }) =>
      snapshot < 0
        ? `{"client":"${id}","view":${number},"period":1}`
        : `{"client":"${id}","view":${number},"period":1,"index":${snapshot + 1}}`,
    );
  }

  /** What has come due since the last call, up to the end of `period`. */
  reports(period) {
    const lines = [];
    for (const { id, order, snapshot, signs } of this.devices) {
      const [before, now] = [this.period >> order, period >> order];
      if (snapshot >= 0) {
        if (before <= snapshot && snapshot < now) lines.push(`{"client":"${id}","index":${snapshot + 1},"signs":"${signs}"}`);
      } else if (now > before) {
        lines.push(`{"client":"${id}","index":${before + 1},"signs":"${signs.slice(before, now)}"}`);
      }
    }
    this.period = period;
    return lines;
  }
}

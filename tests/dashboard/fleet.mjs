// A fleet as raw lines: devices that follow a metric's public plan. It uses the page's own device, so
// that what the page explains is what the collector counts.
import { randomBytes, webcrypto } from "node:crypto";
import { dashboard, load } from "./dashboard.mjs";

// Node 18 keeps what browsers have under another name.
globalThis.crypto ??= webcrypto;

const { stride, symbols } = await load(`${dashboard}/src/plan/device.ts`);
const { draw, report } = await load(`${dashboard}/src/plan/reporting.ts`);

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
      const drawn = draw(view, length);
      const { first } = drawn;
      const sent = report(view, drawn, values);
      const signs = symbols(sent.map(({ sign }) => sign));
      return {
        id: randomBytes(16).toString("hex"),
        number,
        view,
        first,
        step: stride(view, length),
        signs,
      };
    });
  }

  enrolments() {
    return this.devices.map(({ id, number, view, first }) =>
      view.kind === "snapshot"
        ? `{"client":"${id}","view":${number},"period":1,"index":${first + 1}}`
        : `{"client":"${id}","view":${number},"period":1}`,
    );
  }

  /** What has come due since the last call, up to the end of `period`. */
  reports(period) {
    const lines = [];
    for (const { id, view, first, step, signs } of this.devices) {
      const due = (end) => Math.max(0, Math.ceil(((end >> view.order) - first) / step));
      const [before, now] = [due(this.period), due(period)];
      if (now > before)
        lines.push(`{"client":"${id}","index":${first + before * step + 1},"signs":"${signs.slice(before, now)}"}`);
    }
    this.period = period;
    return lines;
  }
}

// All that one device ever sends, from the client itself, in memory: nothing leaves the page.
import type { Plan } from "../collector/api";

/** What a device drew on joining, to be drawn again for other values. */
export class Draws {
  #drawn: Uint8Array[] = [];

  /** Gives the same bytes in the same order each time. */
  source(): (bytes: Uint8Array) => void {
    let at = 0;
    return (bytes) => {
      const known = this.#drawn[at];
      if (known?.length === bytes.length) bytes.set(known);
      else {
        crypto.getRandomValues(bytes);
        this.#drawn[at] = bytes.slice();
      }
      ++at;
    };
  }
}

export interface Life {
  view: number;
  lines: string[];
}

/** `values` are those of equal stretches of the horizon, in order. */
export async function wholeLife(plan: Plan, draws: Draws, values: boolean[]): Promise<Life> {
  const { Client, Device, MemoryStore } = await import("futurerand");
  const device = await Device.open({ store: new MemoryStore(), ceiling: "16", random: draws.source() });
  try {
    const metric = { metric: "for show", json: JSON.stringify(plan), start: 0, periodSeconds: 0 };
    const client = await Client.join({ plan: metric, device, period: 1 });
    for (const [i, value] of values.entries()) {
      // The value holds from the first period of the stretch on; missed periods keep it.
      await client.observe(Math.floor((i * plan.periods) / values.length) + 1, value);
    }
    await client.observe(plan.periods + 1, false);
    return { view: (await client.about()).view!, lines: (await client.lines()).trim().split("\n") };
  } finally {
    await device.close();
  }
}

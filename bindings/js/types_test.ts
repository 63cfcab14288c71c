// Every type of the package, used as a program would: the compiler is the test, and what must be refused is marked.
//   tsc --noEmit --strict (js.types in ctest)
import { Client, Device, FuturerandError, IndexedDbStore, MemoryStore, certify } from "./index.js";
import type { About, Certificate, ErrorCode, Ledger, LineCounts, Sent, Store, Wasm } from "./index.js";
import { Client as NodeClient, FileStore } from "./node.js";

class OwnStore implements Store {
  async acquire() {
    return () => {};
  }
  async load() {
    return new Map<string, Uint8Array>();
  }
  async save(_changes: Map<string, Uint8Array>) {}
}

export async function everything(wasm: Wasm): Promise<[About, Ledger, Certificate]> {
  const stores: Store[] = [new MemoryStore(), new IndexedDbStore("records"), new FileStore("folder"), new OwnStore()];
  const device = await Device.open({ store: stores[0], ceiling: "4", wasm, random: (bytes) => void bytes.fill(0) });
  const client = await Client.open({ url: new URL("https://counts.example"), metric: "dark-mode", device, token: "t" });
  const other: Client = await NodeClient.open({
    url: "https://counts.example",
    metric: "m",
    store: stores[2],
    period: 1,
  });
  const plan = { metric: "m", json: "{}", start: 0, periodSeconds: 86400 };
  await (await Client.join({ plan, device })).close();
  await (await Client.join({ document: "{}", device, period: 3 })).close();
  await client.observe(client.currentPeriod, true);
  await client.observe(2, 1);
  await client.observe(3, 0.42);
  await client.observe(4, "firefox");
  const kind: "yes_no" | "number" | "category" | "distribution" | "text" = (await client.about()).value;
  if (kind === "text") await client.observe(5, "en-GB");
  await client.observeAll([3, 4], [true, 0]);
  await client.observeAll(Uint32Array.of(5, 6), new Uint8Array(2));
  await client.beginPeriod(5);
  const sent = await client.send({ attempts: 3 });
  const answer: LineCounts | null = sent.answer;
  const all: Sent = await device.send();
  if (all.answer?.early === 1) await Device.open({ store: stores[3], ceiling: "4", machine: "serial 7" });
  await client.acknowledge(sent.lines, JSON.stringify(answer));
  const lines: string = (await client.lines()) + sent.lines;
  await client.acknowledge(lines);
  try {
    await other.close();
  } catch (error) {
    const code: ErrorCode = error instanceof FuturerandError ? error.code : "invalid";
    throw new FuturerandError(code, lines, { cause: error });
  }
  const certificate: Certificate = await certify({ protocol: "innovation" }, { wasm });
  if (certificate.digest !== client.certificate.digest || client.metric === "") await client.device.close();
  return [await client.about(), await device.ledger(), await certify("{}")];
}

export async function refused(client: Client, device: Device): Promise<void> {
  // @ts-expect-error a value is missing
  await client.observe(1);
  // @ts-expect-error none is no value
  await client.observe(1, null);
  // @ts-expect-error nor is a list
  await client.observe(1, [1]);
  // @ts-expect-error a period is a number
  await client.observe("1", 1);
  // @ts-expect-error values are missing
  await client.observeAll([1]);
  // @ts-expect-error an acknowledgement names its lines
  await client.acknowledge();
  // @ts-expect-error random bytes are not filled later
  await Device.open({ store: new MemoryStore(), ceiling: "4", random: async () => {} });
  // @ts-expect-error the ceiling is a text
  await Device.open({ store: new MemoryStore(), ceiling: 4 });
  // @ts-expect-error a store has three parts
  await Device.open({ store: { load: async () => new Map() }, ceiling: "4" });
  // @ts-expect-error there is no such code
  throw new FuturerandError("broken", "");
  // @ts-expect-error devices are opened
  new Device();
  // @ts-expect-error the metric is read only
  client.metric = device;
}

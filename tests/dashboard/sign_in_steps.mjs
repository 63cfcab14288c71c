// A collector with a read token: the page signs in, and the token is not visible anywhere.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Collector } from "./collector.mjs";
import { binary, open, step, visit } from "./session.mjs";

const token = "a read token for one test";

step("who has no read token signs in, and the token is in no address", async () => {
  const folder = mkdtempSync(join(tmpdir(), "futurerand-read-"));
  writeFileSync(join(folder, "read"), `${token}\n`);
  const closed = new Collector(binary, ["--read-token-file", join(folder, "read")]);
  await closed.start();
  await closed.put("secret", { periods: 8, max_changes: 1, epsilon: "1", clock: "manual", description: "A secret?" });
  const visitor = await open({}, closed);
  const asked = [];
  visitor.on("request", (request) => asked.push(request.url() + (request.postData() ?? "")));

  await visit("", visitor, closed);
  await visitor.getByRole("heading", { name: "Sign in" }).waitFor();
  assert.equal(await visitor.getByText("A secret?").count(), 0);
  await visitor.getByLabel("Read token").fill("a wrong token");
  await visitor.getByRole("button", { name: "Sign in" }).click();
  await visitor.getByText("the read token is wrong").waitFor();
  await visitor.getByLabel("Read token").fill(token);
  await visitor.getByRole("button", { name: "Sign in" }).click();
  await visitor.getByText("A secret?").first().waitFor();

  // The page stays live, although the stream takes the token too.
  await visit("metric/secret", visitor, closed);
  await visitor.getByRole("heading", { name: "No device has joined yet" }).waitFor();
  const device = '{"client":"00112233445566778899aabbccddeeff","view":0,"period":1}';
  await closed.call("v1/metrics/secret/reports", { method: "POST", body: device });
  await closed.advance("secret");
  await visitor.getByRole("heading", { name: "No device has joined yet" }).waitFor({ state: "hidden" });
  assert.ok(asked.some((url) => url.endsWith("/events")));
  assert.ok(asked.every((url) => !decodeURIComponent(url).includes(token)));
  assert.ok(!decodeURIComponent(visitor.url()).includes(token));
  assert.equal(await visitor.evaluate(() => document.defaultView.localStorage.length + document.cookie.length), 0);

  await visitor.reload();
  await visitor.getByRole("button", { name: "Sign out" }).click();
  await visitor.getByRole("heading", { name: "Sign in" }).waitFor();
  await visitor.reload();
  await visitor.getByRole("heading", { name: "Sign in" }).waitFor();
  await visitor.close();
  await closed.remove();
  rmSync(folder, { recursive: true });
});

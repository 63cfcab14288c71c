// The view of a cluster in a browser: cluster_page.mjs URL TOKEN PICTURE, with a cluster started by page_test.py.
import assert from "node:assert/strict";
import { launch } from "./browser.mjs";

const [url, token, picture] = process.argv.slice(2);
const browser = await launch();
try {
  const page = await browser.newPage({ viewport: { width: 1280, height: 1400 } });
  page.setDefaultTimeout(60_000);
  const failures = [];
  page.on("pageerror", (error) => failures.push(error.message));
  await page.goto(`${url}/`);
  await page.getByRole("link", { name: "Cluster" }).click();
  await page.getByLabel("Admin token").fill("not the token");
  await page.getByRole("button", { name: "Show the cluster" }).click();
  await page.getByRole("alert").filter({ hasText: "The admin token is wrong." }).waitFor();
  await page.getByLabel("Admin token").fill(token);
  await page.getByRole("button", { name: "Show the cluster" }).click();

  const told = await (await fetch(`${url}/v1/cluster`, { headers: { authorization: `Bearer ${token}` } })).json();
  const rows = async (name) => {
    const table = page.getByRole("region", { name: `Table of ${name}` });
    await table.waitFor();
    return table
      .locator("tbody tr")
      .evaluateAll((all) => all.map((row) => [...row.cells].map((cell) => cell.innerText)));
  };
  const collectors = await rows("collectors");
  assert.deepEqual(
    collectors,
    told.collectors.map((one) => [one.address, String(one.shards), one.alive ? "alive" : "gone"]),
  );
  assert.equal(collectors.length, 2);
  const shards = told.databases.flatMap((database) => database.shards).sort((a, b) => a.shard - b.shard);
  assert.deepEqual(
    (await rows("shards")).map((row) => [row[0], row[1], row[3]]),
    shards.map((one) => [String(one.shard), one.owner, String(one.epoch)]),
  );
  const databases = await rows("databases");
  assert.equal(databases.length, told.databases.length);
  assert.match(databases[0][4], /no synchronous standby/);
  assert.match(databases[0][1], /^[0-9.]+ [kM]B$/);
  await page.screenshot({ path: picture });
  assert.deepEqual(failures, []);
  // The token is in no address, so another tab cannot see it.
  assert.ok(!page.url().includes(encodeURIComponent(token)));
} finally {
  await browser.close();
}

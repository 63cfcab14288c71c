// Drives the page in a browser against the real collector: page_test.mjs FUTURERAND PICTURES PART
// Each part has a collector of its own, so that parts run side by side.
// FUTURERAND_IMAGES=FOLDER also writes the pictures of the README.
import assert from "node:assert/strict";
import { failures, foreign, part, step } from "./session.mjs";

// Steps run in the order of their imports.
await import(`./${part}_part.mjs`);

step("nothing was asked of another host, and nothing broke", () => {
  assert.deepEqual(foreign, []);
  assert.deepEqual(failures, []);
});

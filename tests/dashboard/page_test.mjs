// Drives the page in a browser against the real collector: page_test.mjs FUTURERAND PICTURES
// FUTURERAND_IMAGES=FOLDER also writes the pictures of the README.
import assert from "node:assert/strict";
import { failures, foreign, step } from "./session.mjs";
// Steps run in the order in which they are imported.
import "./metric_steps.mjs";
import "./screen_steps.mjs";
import "./share_steps.mjs";
import "./value_steps.mjs";
import "./sign_in_steps.mjs";
import "./life_steps.mjs";
import "./looks_steps.mjs";

step("nothing was asked of another host, and nothing broke", () => {
  assert.deepEqual(foreign, []);
  assert.deepEqual(failures, []);
});

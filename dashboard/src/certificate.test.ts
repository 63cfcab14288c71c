import assert from "node:assert/strict";
import { webcrypto } from "node:crypto";
import { test } from "node:test";
import type { Law } from "./api";
import { atMost, belowExp, certifyPlan, decimal, lossRatio } from "./certificate";
import { drawSigns, inputs, lnLikelihood, lnProbabilities, randomize } from "./device";

// Node 18 keeps what browsers have under another name.
(globalThis as { crypto?: unknown }).crypto ??= webcrypto;

const half = (1n << 63n).toString();
const laws: Law[] = [
  { shape: "threshold", signs: 4, tau: 1, low_side: "10195318397500800607" },
  { shape: "product", signs: 5, flip: "7000000000000000000" },
  { shape: "single", signs: 3, flip: "7000000000000000000" },
  { shape: "annulus", signs: 6, flip: "7000000000000000000", first_kept: 1, last_kept: 4 },
];

test("the series stays below e^epsilon, and close", () => {
  assert.equal(decimal(belowExp("1"), 15), "2.718281828459045");
  assert.ok(Math.abs(Number(decimal(belowExp("0.25"), 15)) - Math.exp(0.25)) < 1e-14);
  assert.ok(Math.abs(Number(decimal(belowExp("16"), 6)) / Math.exp(16) - 1) < 1e-12);
});

test("the exact ratio is that of the probabilities", () => {
  for (const law of laws) {
    const p = lnProbabilities(law);
    const expected = Math.max(...p) - Math.min(...p);
    assert.ok(Math.abs(Math.log(Number(decimal(lossRatio(law), 15))) - expected) < 1e-9, law.shape);
  }
});

test("a plan that allows too much is refused", () => {
  const plan = (low_side: string) => ({
    protocol: "optimal", periods: 1, max_changes: 1, epsilon: "1",
    views: [{ kind: "snapshot" as const, order: 0, weight: 1, law: { shape: "threshold" as const, signs: 1, tau: 0, low_side } }],
  });
  // e / (1 + e) of 2^64, just below and just above.
  const most = (belowExp("1").top << 64n) / (belowExp("1").top + belowExp("1").bottom);
  assert.equal(certifyPlan(plan(most.toString()))[0]!.certified, true);
  assert.equal(certifyPlan(plan((most + 1n).toString()))[0]!.certified, false);
  assert.equal(certifyPlan(plan(half))[0]!.certified, true);
});

test("probabilities sum to one", () => {
  const choose = (n: number, k: number): number => (k === 0 ? 1 : (choose(n, k - 1) * (n - k + 1)) / k);
  for (const law of laws) {
    const sum = lnProbabilities(law).reduce((total, p, i) => total + choose(law.signs, i) * Math.exp(p), 0);
    assert.ok(Math.abs(sum - 1) < 1e-9, `${law.shape} ${sum}`);
  }
});

test("no signs tell two histories apart by more than the ratio", () => {
  for (const law of laws) {
    const view = { kind: "changes" as const, order: 0, weight: 1, law };
    const histories = [[0, 0, 0, 0], [0, 1, 1, 1], [1, 0, 1, 0], [1, 1, 1, 1]].map((values) => inputs(view, values, 0));
    const most = Math.log(Number(decimal(lossRatio(law), 15))) + 1e-9;
    for (let word = 0; word < 16; ++word) {
      const signs = [0, 1, 2, 3].map((i) => ((word >> i) & 1 ? 1 : -1));
      const seen = histories.map((from) => lnLikelihood(law, from, signs));
      assert.ok(Math.max(...seen) - Math.min(...seen) <= most, law.shape);
    }
  }
});

test("a device sends one sign for each input, coins for zeros", () => {
  const b = drawSigns(laws[0]!);
  assert.equal(b.length, 4);
  const sent = randomize(laws[0]!, b, [1, -1, 1], [0, -1, 0]);
  assert.deepEqual(sent, [{ sign: 1, carries: false }, { sign: -b[0]!, carries: true }, { sign: 1, carries: false }]);
  assert.ok(atMost({ top: 1n, bottom: 2n }, { top: 1n, bottom: 1n }));
});

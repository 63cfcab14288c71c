import assert from "node:assert/strict";
import { webcrypto } from "node:crypto";
import { test } from "node:test";
import type { Law } from "../collector/api";
import { isAtMost, belowExp, certifyPlan, decimal, lossRatio } from "./certificate";
import { drawFirst, drawSigns, inputs, lnLikelihood, positions, randomize, symbols } from "./device";
import { drawUnchanged } from "./quiet";
import { viewName } from "./view_name";

// Node 18 keeps what browsers have under another name.
(globalThis as { crypto?: unknown }).crypto ??= webcrypto;

const half = (1n << 63n).toString();
const quiet = { shape: "quiet" as const, signs: 4, speak: 5792, tau: 0, loud_side: "10256849792010760351" };
const laws: Law[] = [
  { shape: "threshold", signs: 4, tau: 1, low_side: "10195318397500800607" },
  { shape: "product", signs: 5, flip: "7000000000000000000" },
  { shape: "single", signs: 3, flip: "7000000000000000000" },
  { shape: "annulus", signs: 6, flip: "7000000000000000000", first_kept: 1, last_kept: 4 },
  quiet,
  { shape: "quiet", signs: 2, speak: 20000, tau: 1, loud_side: "3000000000000000000" },
];

/** All that n positions can send. */
function sequences(law: Law, n: number): number[][] {
  const alphabet = law.shape === "quiet" ? [-1, 0, 1] : [-1, 1];
  return n === 0 ? [[]] : sequences(law, n - 1).flatMap((most) => alphabet.map((last) => [...most, last]));
}

/** ln of how likely the law's own vector is. */
const lnProbability = (law: Law, b: number[]) =>
  lnLikelihood(
    law,
    b.map(() => 1),
    b,
  );

test("the series stays below e^epsilon, and close", () => {
  assert.equal(decimal(belowExp("1"), 15), "2.718281828459045");
  assert.ok(Math.abs(Number(decimal(belowExp("0.25"), 15)) - Math.exp(0.25)) < 1e-14);
  assert.ok(Math.abs(Number(decimal(belowExp("16"), 6)) / Math.exp(16) - 1) < 1e-12);
});

test("the exact ratio is that of the probabilities", () => {
  for (const law of laws) {
    const l = sequences(law, law.signs).map(
      (b) =>
        lnProbability(law, b) -
        lnLikelihood(
          law,
          b.map(() => 0),
          b,
        ),
    );
    const expected = Math.max(...l) - Math.min(...l);
    assert.ok(Math.abs(Math.log(Number(decimal(lossRatio(law)!, 15))) - expected) < 1e-9, law.shape);
  }
});

test("a plan that allows too much is refused", () => {
  const plan = (low_side: string) => ({
    protocol: "optimal",
    periods: 1,
    max_changes: 1,
    epsilon: "1",
    views: [
      {
        kind: "snapshot" as const,
        order: 0,
        weight: 1,
        law: { shape: "threshold" as const, signs: 1, tau: 0, low_side },
      },
    ],
  });
  // e / (1 + e) of 2^64, just below and just above.
  const most = (belowExp("1").top << 64n) / (belowExp("1").top + belowExp("1").bottom);
  assert.equal(certifyPlan(plan(most.toString()))[0]!.certified, true);
  assert.equal(certifyPlan(plan((most + 1n).toString()))[0]!.certified, false);
  assert.equal(certifyPlan(plan(half))[0]!.certified, true);
});

test("a quiet law is certified to the last unit", () => {
  const plan = (law: Law) => ({
    protocol: "hybrid",
    periods: 64,
    max_changes: 4,
    epsilon: "2",
    views: [{ kind: "changes" as const, order: 0, weight: 1, law }],
  });
  const [found] = certifyPlan(plan(quiet));
  assert.equal(found!.certified, true);
  assert.ok(Math.abs(Math.log(Number(decimal(found!.ratio!, 15))) - 2) < 1e-9);
  const more = (BigInt(quiet.loud_side) + 1n).toString();
  assert.equal(certifyPlan(plan({ ...quiet, loud_side: more }))[0]!.certified, false);
});

test("a quiet law lets through what the core says", () => {
  for (let j = 0; j < quiet.signs; ++j) {
    const gap = sequences(quiet, quiet.signs).reduce((sum, b) => sum + b[j]! * Math.exp(lnProbability(quiet, b)), 0);
    assert.ok(Math.abs(gap - 0.128812957569) < 1e-12, `${gap}`);
  }
});

test("a quiet device draws from its law, and is mostly silent where nothing changes", () => {
  const n = 20000;
  // Six standard deviations: fails in fewer than one of a million runs.
  const near = (hits: number, of: number, p: number) =>
    assert.ok(Math.abs(hits - of * p) < 6 * Math.sqrt(of * p * (1 - p)), `${hits} of ${of}, ${p}`);
  const drawn = Array.from({ length: n }, () => drawSigns(quiet));
  near(drawn.filter((b) => b.reduce((sum, s) => sum + s, 0) > quiet.tau).length, n, Number(quiet.loud_side) / 2 ** 64);
  const some = [0, 1, 0, -1];
  near(drawn.filter((b) => b.every((s, j) => s === some[j])).length, n, Math.exp(lnProbability(quiet, some)));
  const unchanged = drawUnchanged(quiet, n);
  near(unchanged.filter((s) => s === 0).length, n, 1 - quiet.speak / 2 ** 16);
  near(unchanged.filter((s) => s > 0).length, n, quiet.speak / 2 ** 17);
  near(drawUnchanged(laws[0]!, n).filter((s) => s > 0).length, n, 0.5);
  assert.ok(!drawUnchanged(laws[0]!, n).includes(0));
  assert.equal(symbols([1, 0, -1]), "+0-");
});

test("a snapshot view reports a stride apart", () => {
  const view = (signs: number, order = 0) => ({
    kind: "snapshot" as const,
    order,
    weight: 1,
    law: { shape: "threshold" as const, signs, tau: 0, low_side: half },
  });
  assert.deepEqual(positions(view(3), 8, 1), [1, 4, 7]);
  assert.deepEqual(positions(view(3), 8, 2), [2, 5]);
  assert.deepEqual(inputs(view(3), [0, 0, 0, 0, 1, 1, 1, 1], 1), [-1, 1, 1]);
  assert.deepEqual(positions(view(1), 8, 6), [6]);
  // Everyone together reports every index, no one more often than the law has signs.
  for (let indices = 1; indices <= 20; ++indices) {
    for (let signs = 1; signs <= indices; ++signs) {
      const step = Math.ceil(indices / signs);
      const all = Array.from({ length: step }, (_, first) => positions(view(signs), indices, first));
      assert.ok(all.every((each) => each.length >= 1 && each.length <= signs));
      assert.deepEqual(
        all.flat().sort((a, b) => a - b),
        Array.from({ length: indices }, (_, i) => i),
      );
      assert.ok(drawFirst(view(signs), indices) < step);
    }
  }
  assert.equal(viewName(view(1), 64), "Value, once");
  assert.equal(viewName(view(1, 2), 64), "Value, once, at a multiple of 4");
  assert.equal(viewName(view(4, 2), 64), "Value, 4 times, 16 periods apart");
  assert.equal(viewName(view(3), 64), "Value, 2 or 3 times, 22 periods apart");
  assert.equal(viewName(view(16, 2), 64), "Value, every 4 periods");
});

test("probabilities sum to one", () => {
  for (const law of laws) {
    const sum = sequences(law, law.signs).reduce((total, b) => total + Math.exp(lnProbability(law, b)), 0);
    assert.ok(Math.abs(sum - 1) < 1e-9, `${law.shape} ${sum}`);
  }
});

test("no signs tell two histories apart by more than the ratio", () => {
  for (const law of laws) {
    const view = { kind: "changes" as const, order: 0, weight: 1, law };
    const histories = [
      [0, 0, 0, 0],
      [0, 1, 1, 1],
      [1, 0, 1, 0],
      [1, 1, 1, 1],
    ].map((values) => inputs(view, values, 0));
    const most = Math.log(Number(decimal(lossRatio(law)!, 15))) + 1e-9;
    for (const signs of sequences(law, 4)) {
      const seen = histories.map((from) => lnLikelihood(law, from, signs));
      assert.ok(Math.max(...seen) - Math.min(...seen) <= most, law.shape);
    }
  }
});

test("a device sends one sign for each input, coins for zeros", () => {
  const b = drawSigns(laws[0]!);
  assert.equal(b.length, 4);
  const sent = randomize(laws[0]!, b, [1, -1, 1], [0, -1, 0]);
  assert.deepEqual(sent, [
    { sign: 1, carries: false },
    { sign: -b[0]!, carries: true },
    { sign: 1, carries: false },
  ]);
  assert.ok(isAtMost({ top: 1n, bottom: 2n }, { top: 1n, bottom: 1n }));
});

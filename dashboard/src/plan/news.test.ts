import assert from "node:assert/strict";
import { webcrypto } from "node:crypto";
import { test } from "node:test";
import type { Law, Plan } from "../collector/api";
import { belowExp, certifyPlan, decimal, lossRatio } from "./certificate";
import { drawStock, lnNewsLikelihood, newsOf, newsUnit, sendNews } from "./news";
import { loudShare, scoreShares, withoutSign } from "./score_table";

// Node 18 keeps what browsers have under another name.
(globalThis as { crypto?: unknown }).crypto ??= webcrypto;

/** All vectors of n signs. */
const vectors = (n: number) =>
  Array.from({ length: 2 ** n }, (_, v) => Array.from({ length: n }, (_, i) => ((v >> i) & 1 ? 1 : -1)));

/** The weight of each sign. */
const weightsOf = ({ stocks, weights }: Law) => stocks!.flatMap((n, l) => Array<number>(n).fill(weights![l]!));
const scoreOf = (law: Law, b: number[]) => weightsOf(law).reduce((sum, w, i) => sum + w * b[i]!, 0);

/** A law from its definition alone: every vector is counted, epsilon is 1. */
function lawOf(stocks: number[], weights: number[], theta: number): Law {
  const signs = stocks.reduce((a, b) => a + b, 0);
  const law: Law = { shape: "weighted_threshold", signs, stocks, weights, theta };
  const all = vectors(signs);
  const loud = all.filter((b) => scoreOf(law, b) >= theta);
  const { top, bottom } = belowExp("1");
  const [q, n] = [BigInt(loud.length), BigInt(all.length)];
  // E Q / ((E - 1) Q + 1), in units of 2^-64, rounded down.
  law.loud_side = ((top * q * (1n << 64n)) / ((top - bottom) * q + bottom * n)).toString();
  const side = Number(law.loud_side) / 2 ** 64;
  const lead = side / loud.length - (1 - side) / (all.length - loud.length);
  let first = 0;
  law.gaps = stocks.map((stock) => {
    const at = first;
    first += stock;
    return Math.round(lead * loud.reduce((sum, b) => sum + b[at]!, 0) * 2 ** 40);
  });
  return law;
}

const small = lawOf([2, 2, 5], [5, 3, 2], 4);
const plan = (law: Law): Plan => ({
  protocol: "innovation",
  periods: law.signs,
  max_changes: 2,
  epsilon: "1",
  views: [{ kind: "news", order: 0, weight: 1, law }],
});

test("the loud share is exact where all vectors can be counted", () => {
  for (const law of [small, lawOf([1, 11], [7, 1], 3), lawOf([3, 3, 6], [9, 4, 1], 10)]) {
    const loud = vectors(law.signs).filter((b) => scoreOf(law, b) >= law.theta!).length;
    const expected = BigInt(loud) << BigInt(63 - law.signs);
    assert.deepEqual(loudShare(law), { atLeast: expected, atMost: expected });
  }
});

test("the loud share of a long law is a close lower bound", () => {
  // All weights are 1, so that the score is binomial: P(minus <= 120) of 256 by exact arithmetic.
  const law: Law = { shape: "weighted_threshold", signs: 256, stocks: [100, 156], weights: [1, 1], theta: 16 };
  let [choose, sum] = [1n, 0n];
  for (let i = 0n; i <= 120n; ++i) {
    sum += choose;
    choose = (choose * (256n - i)) / (i + 1n);
  }
  const exact = sum >> (256n - 63n);
  const { atLeast, atMost } = loudShare(law);
  assert.ok(atLeast <= exact && exact <= atMost);
  assert.ok(atMost - atLeast < 1n << 20n, String(atMost - atLeast));
});

test("certified to the last unit, and refused where numbers do not fit", () => {
  assert.equal(certifyPlan(plan(small))[0]!.certified, true);
  const likelihoods = vectors(small.signs).map((b) => {
    const loud = loudShare(small).atLeast;
    const [share, side] = [Number(loud) / 2 ** 63, Number(small.loud_side) / 2 ** 64];
    return scoreOf(small, b) >= small.theta! ? side / share : (1 - side) / (1 - share);
  });
  const ratio = Math.max(...likelihoods) / Math.min(...likelihoods);
  assert.ok(Math.abs(Number(decimal(lossRatio(small)!, 15)) / ratio - 1) < 1e-12);
  const refused = (change: Partial<Law>) => certifyPlan(plan({ ...small, ...change }))[0]!.certified;
  assert.equal(refused({ loud_side: (BigInt(small.loud_side!) + 1n).toString() }), false);
  assert.equal(refused({ loud_side: "1" }), false);
  assert.equal(refused({ stocks: [2, 2, 4] }), false);
  assert.equal(refused({ gaps: [small.gaps![1]!, small.gaps![0]!, small.gaps![2]!] }), false);
  assert.equal(refused({ theta: 100 }), false);
  assert.equal(refused({ weights: [5, 3] }), false);
});

test("a table without one sign is the table of the others", () => {
  const shares = withoutSign(scoreShares(small), 3);
  const others = scoreShares({ ...small, stocks: [2, 1, 5] });
  others.forEach((share, m) => assert.ok(Math.abs(share - shares[m]!) < 1e-12));
});

const histories = [
  [0, 0, 0, 0, 0, 0, 0, 0, 0],
  [1, 1, 1, 1, 1, 1, 1, 1, 1],
  [0, 0, 0, 1, 1, 1, 1, 1, 1],
  [0, 1, 1, 1, 1, 0, 0, 0, 0],
  [1, 0, 1, 0, 1, 0, 1, 0, 1],
];

test("likelihoods sum to one and stay within e^epsilon, whatever the values", () => {
  const outputs = vectors(small.signs);
  const table = histories.map((values) => outputs.map((signs) => lnNewsLikelihood(small, values, signs)));
  for (const row of table) assert.ok(Math.abs(row.reduce((sum, ln) => sum + Math.exp(ln), 0) - 1) < 1e-9);
  for (const a of table) for (const b of table) a.forEach((ln, i) => assert.ok(ln - b[i]! < 1 + 1e-9));
});

test("up to two changes a sign means its news, exactly", () => {
  const outputs = vectors(small.signs);
  for (const values of histories.slice(0, 4)) {
    newsOf(small, values).forEach((news, t) => {
      const mean = outputs.reduce(
        (sum, signs) => sum + signs[t]! * Math.exp(lnNewsLikelihood(small, values, signs)),
        0,
      );
      assert.ok(Math.abs(mean - news / 2 ** 40) < 1e-9, `${values} at ${t}: ${mean} for ${news / 2 ** 40}`);
    });
  }
});

test("news is large after a change, fades, and settles", () => {
  const of = (values: number[]) => newsOf(small, values).map((news) => news / newsUnit(small));
  const [quiet, changed] = [of(histories[0]!), of(histories[2]!)];
  assert.ok(quiet.every((news) => news === quiet[0] && news < 0));
  assert.ok(changed[3]! > changed[4]! && changed[4]! > changed[5]! && changed[5]! > 0);
  assert.equal(changed[8], -quiet[0]!);
});

test("what is sent has the mean that it should", () => {
  const draws = 40_000;
  const values = histories[3]!;
  const sums = values.map(() => 0);
  for (let i = 0; i < draws; ++i) {
    const coins = values.map(() => (Math.random() < 0.5 ? 1 : -1));
    const sent = sendNews(small, drawStock(small), coins, values.map(Math.random), values);
    sent.forEach(({ sign }, t) => (sums[t]! += sign));
  }
  // Six standard deviations, for nine means: fails once in fifty million runs.
  newsOf(small, values).forEach((news, t) =>
    assert.ok(Math.abs(sums[t]! / draws - news / 2 ** 40) < 6 / Math.sqrt(draws), `${t}`),
  );
});

import assert from "node:assert/strict";
import { test } from "node:test";
import {
  percentLike,
  pointsLike,
  compact,
  count,
  duration,
  many,
  percent,
  roundedUp,
  roundLike,
  roundNoise,
  saying,
  shareSaid,
} from "./words";

test("a value is as precise as its noise", () => {
  assert.deepEqual(saying(41_237, 3_512, 100_000), {
    value: "41,200",
    of: "100,000 devices",
    giveOrTake: "3,600",
    share: "41%",
    points: "4",
    beyond: null,
  });
  assert.deepEqual(saying(7, 1.2, 20), {
    value: "7",
    of: "20 devices",
    giveOrTake: "2",
    share: "35%",
    points: "6",
    beyond: null,
  });
});

test("a count is never below none or above all", () => {
  assert.equal(saying(-900, 1000, 100_000)?.value, "0");
  assert.equal(saying(-900, 1000, 100_000)?.beyond, "\u2212900");
  assert.equal(saying(-20, 1000, 100_000)?.beyond, null);
  assert.equal(saying(100_400, 1000, 100_000)?.value, "100,000");
  assert.equal(saying(100_400, 1000, 100_000)?.beyond, "100,400");
});

test("noise as wide as the answer says nothing", () => {
  assert.equal(saying(400, 500, 1000), null);
  assert.equal(saying(null, null, 1000), null);
  assert.equal(saying(0, 0, 0), null);
});

test("noise is rounded up, to two digits", () => {
  assert.equal(roundNoise(3512), 3600);
  assert.equal(roundNoise(3600), 3600);
  assert.equal(roundNoise(0.4), 1);
  assert.equal(roundNoise(0), 0);
  assert.equal(roundLike(1_234_567, 45_000), 1_235_000);
  assert.ok(Object.is(roundLike(-0.2, 3), 0));
});

test("a bound is never said to be less than it is", () => {
  assert.equal(roundedUp(0.0123), "0.013");
  assert.equal(roundedUp(0.4), "0.4");
  assert.equal(roundedUp(3.41), "3.5");
  assert.equal(roundedUp(9.99), "10");
  assert.equal(roundedUp(1234.2), "1,235");
  assert.equal(roundedUp(0), "0");
});

test("words", () => {
  assert.equal(count(-0.2), "0");
  assert.equal(count(-1234), "\u22121,234");
  assert.equal(compact(41_200), "41.2K");
  assert.equal(many(1, "device"), "1 device");
  assert.equal(percent(0.412), "41.2%");
  assert.equal(percent(0.95), "95%");
  assert.equal(percent(0.00042), "0.042%");
  assert.equal(duration(86_400 * 14), "2 weeks");
  assert.equal(duration(86_400 * 3), "3 days");
  assert.equal(duration(5400), "90 minutes");
  assert.equal(duration(86_400 * 30), "30 days");
  assert.equal(duration(86_400 * 7), "1 week");
  assert.equal(duration(3601), "3,601 seconds");
});

test("a share is as precise as its noise", () => {
  assert.equal(percentLike(0.8034, 0.08), "80%");
  assert.equal(percentLike(0.8034, 0.012), "80.3%");
  assert.equal(percentLike(0.8034, 0.0012), "80.34%");
  assert.equal(percentLike(-0.0001, 0.12), "0%");
  assert.equal(shareSaid(0.641, 0.0791), "64% ± 8");
  assert.equal(shareSaid(0.641, 0.012), "64.1% ± 1.2");
  assert.equal(pointsLike(0.0801), "9"); // never less than it is
});

import assert from "node:assert/strict";
import { test } from "node:test";
import type { DistributionValue, PeriodEstimate } from "../collector/api";
import { fanOf, fanRange, quantiles } from "./quantiles";

const value: DistributionValue = { kind: "distribution", low: 0, high: 100, buckets: 8 };
const rows = [1, 2].flatMap((period) =>
  quantiles.map(
    (share) => ({ period, label: `p${100 * share}`, value: 100 * share + period }) as unknown as PeriodEstimate,
  ),
);

test("quantiles become the curves of a fan", () => {
  const fan = fanOf(rows);
  assert.deepEqual(fan.period, [1, 2]);
  assert.deepEqual(
    fan.values.map(([first]) => first),
    [11, 26, 51, 76, 91],
  );
  assert.deepEqual(
    fan.median.map((at) => at.value),
    [51, 52],
  );
});

test("the range holds all that is shown, with room, and not more than there is", () => {
  const fan = fanOf(rows);
  const [low, high] = fanRange(fan, [50, 60], value, 1, 2);
  assert.ok(low > 0 && low < 11 && high > 92 && high <= 100, `${low} ${high}`);
  assert.equal(fanRange(fan, [50, 130], value, 1, 2)[1], 130);
  assert.ok(fanRange(fan, [50, 130], value, 1, 1)[1] < 100, "the second period is not shown");
  assert.deepEqual(fanRange(fanOf([]), [], value, 1, 2), [0, 100]);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { seasonCost, seasonsIn } from "./season_cost";

test("the cost of seasons is that of the collector", () => {
  // 90 days on and 90 off: one season in any 90 days, and seven in three years.
  assert.deepEqual(seasonCost(90, 90, 86_400), { window: 90, inWindow: 1, inLife: 7 });
  // Without a rest a window as long as a season meets two.
  assert.deepEqual(seasonCost(90, 0, 86_400), { window: 90, inWindow: 2, inLife: 14 });
  assert.equal(seasonCost(90, 90, NaN), null);
  assert.equal(seasonCost(0, 90, 1), null);
  assert.equal(seasonCost(2.5, 90, 1), null);
});

test("seasons in a window are counted as by hand", () => {
  for (let season = 1; season <= 5; ++season) {
    for (let rest = 0; rest <= 5; ++rest) {
      for (let window = 1; window <= 12; ++window) {
        let most = 0;
        for (let begin = 0; begin < season + rest; ++begin) {
          const met = new Set<number>();
          for (let t = begin; t < begin + window; ++t) {
            if (t % (season + rest) < season) met.add(Math.floor(t / (season + rest)));
          }
          most = Math.max(most, met.size);
        }
        assert.equal(seasonsIn(window, season, rest), most, `${season} on, ${rest} off, ${window}`);
      }
    }
  }
});

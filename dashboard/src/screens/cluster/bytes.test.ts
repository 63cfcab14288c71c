import assert from "node:assert/strict";
import { test } from "node:test";
import { bytesInWords } from "./bytes";

test("sizes have three digits at most", () => {
  for (const [bytes, words] of [
    [0, "0 B"],
    [999, "999 B"],
    [1000, "1.00 kB"],
    [9_949, "9.95 kB"],
    [99_499, "99.5 kB"],
    [999_499, "999 kB"],
    [999_500, "1.00 MB"],
    [24_576_000, "24.6 MB"],
    [5e15, "5000 TB"],
  ] as const)
    assert.equal(bytesInWords(bytes), words);
});

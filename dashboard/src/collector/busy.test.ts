import assert from "node:assert/strict";
import { test } from "node:test";
import { busyQuestions, mostBusyAnswers, pause, pauseAfter, saysBusy } from "./busy";

test("who is busy says when to ask again, and otherwise pauses double up to eight seconds", () => {
  assert.deepEqual(
    [0, 1, 2, 3, 4, 5, mostBusyAnswers].map((answers) => pauseAfter(answers, NaN)),
    [500, 1000, 2000, 4000, 8000, 8000, 8000],
  );
  assert.equal(pauseAfter(3, 1), 1000);
  assert.equal(pauseAfter(0, 3600), 60_000);
});

test("only a busy collector is asked again", () => {
  const statuses = [200, 400, 401, 404, 409, 429, 500, 501, 502, 503, 504];
  assert.deepEqual(statuses.filter(saysBusy), [429, 502, 503, 504]);
});

test("a pause ends at once with its question", async () => {
  const abort = new AbortController();
  const waiting = pause(1e8, abort.signal);
  assert.equal(busyQuestions.value, 1);
  abort.abort(new Error("enough"));
  await assert.rejects(waiting, /enough/);
  assert.equal(busyQuestions.value, 0);
});

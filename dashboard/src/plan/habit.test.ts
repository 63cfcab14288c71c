import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { isTooFew, soundsLikeHabit } from "./habit";

test("questions about habits are told from those about states", () => {
  const examples: { question: string; habit: boolean }[] = JSON.parse(
    readFileSync("../tests/data/habits.json", "utf8"),
  );
  assert.ok(examples.length > 10);
  for (const { question, habit } of examples) assert.equal(soundsLikeHabit(question), habit, question);
});

test("a quarter of the periods is not too few", () => {
  assert.ok(isTooFew(4, 256));
  assert.ok(!isTooFew(4, 16));
});

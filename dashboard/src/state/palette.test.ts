import assert from "node:assert/strict";
import { test } from "node:test";
import text from "../palette.css?raw";
import { paletteColour } from "./palette";

test("every colour of the style sheet can be drawn on a canvas", () => {
  const names = [...text.matchAll(/^ {2}--([\w-]+):/gm)].map(([, name]) => name!);
  assert.ok(names.length >= 20);
  for (const name of names) assert.match(paletteColour(name, "dark"), /^#[0-9a-f]{6}([0-9a-f]{2})?$/);
  assert.equal(paletteColour("estimate", "light"), "#2a4fa8");
  assert.throws(() => paletteColour("no-such-colour", "light"), /no colour/);
});

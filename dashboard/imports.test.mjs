// Who imports whom: the folders of src/ in the order of the flow, no cycle between files, and no screen
// that knows another.
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import ts from "typescript";

const src = fileURLToPath(new URL("src", import.meta.url));

/** A file may import from its own folder and from those before it. */
const order = [
  "words",
  "zoned_time",
  "dates",
  "observable",
  "collector",
  "state",
  "plan",
  "estimates",
  "parts",
  "chart",
  "screens",
  "page",
  "main",
];

const files = readdirSync(src, { withFileTypes: true, recursive: true })
  .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name) && !entry.name.includes(".test."))
  .map((entry) => relative(src, join(entry.parentPath ?? entry.path, entry.name)));

/** Returns what a file imports of src/, types included. */
function imported(file) {
  const { importedFiles } = ts.preProcessFile(readFileSync(join(src, file), "utf8"), true, true);
  return importedFiles
    .filter(({ fileName }) => fileName.startsWith(".") && !/\.css/.test(fileName))
    .map(({ fileName }) => {
      const path = resolve(src, dirname(file), fileName);
      const found = [".ts", ".tsx"].map((ending) => path + ending).find(existsSync);
      assert.ok(found, `${file} imports ${fileName}, which is not there`);
      return relative(src, found);
    });
}

const graph = new Map(files.map((file) => [file, imported(file)]));
const folder = (file) => file.split(/[/.]/)[0];
const screen = (file) => (folder(file) === "screens" ? file.split("/")[1] : null);

test("there is a graph to look at", () => {
  assert.ok(files.length > 30 && graph.get("page/page.tsx").length > 6);
  assert.deepEqual([...new Set(files.map(folder))].sort(), [...order].sort());
});

test("imports follow the order of the folders", () => {
  for (const [file, others] of graph) {
    for (const other of others) {
      assert.ok(order.indexOf(folder(other)) <= order.indexOf(folder(file)), `${file} imports ${other}`);
    }
  }
});

test("no screen imports from another", () => {
  for (const [file, others] of graph) {
    if (!screen(file)) continue;
    for (const other of others) assert.ok([null, screen(file)].includes(screen(other)), `${file} imports ${other}`);
  }
});

test("no file imports itself through others", () => {
  const done = new Set();
  const walk = (file, path) => {
    assert.ok(!path.includes(file), `a cycle: ${[...path.slice(path.indexOf(file)), file].join(" > ")}`);
    if (done.has(file)) return;
    for (const other of graph.get(file)) walk(other, [...path, file]);
    done.add(file);
  };
  for (const file of files) walk(file, []);
});

test("a screen's style is beside it", () => {
  for (const name of readdirSync(join(src, "screens"))) {
    for (const ending of [".tsx", ".css"]) {
      assert.ok(existsSync(join(src, "screens", name, `${name}_screen${ending}`)), `${name} has no ${ending}`);
    }
  }
});

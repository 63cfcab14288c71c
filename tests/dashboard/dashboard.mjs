// Packages and source modules of dashboard/ for the tests.
import { createRequire } from "node:module";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

export const dashboard = fileURLToPath(new URL("../../dashboard", import.meta.url));
const require = createRequire(`${dashboard}/package.json`);

export const { chromium } = require("playwright-core");
export const axe = require.resolve("axe-core/axe.min.js");

export async function load(source) {
  const folder = mkdtempSync(join(tmpdir(), "dashboard-module-"));
  const outfile = join(folder, "module.mjs");
  await require("esbuild").build({
    entryPoints: [source],
    bundle: true,
    format: "esm",
    platform: "node",
    outfile,
    logLevel: "warning",
  });
  const module = await import(pathToFileURL(outfile).href);
  rmSync(folder, { recursive: true });
  return module;
}

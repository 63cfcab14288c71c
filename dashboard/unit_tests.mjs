// Bundles src/**/*.test.ts and runs them, and imports.test.mjs, with node's own test runner.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { rawText } from "./raw_text.mjs";

const here = fileURLToPath(new URL(".", import.meta.url));
const src = join(here, "src");
const tests = readdirSync(src, { recursive: true }).filter((name) => name.endsWith(".test.ts"));
const out = mkdtempSync(join(tmpdir(), "dashboard-tests-"));
await build({
  entryPoints: tests.map((name) => join(src, name)),
  bundle: true,
  platform: "node",
  format: "esm",
  target: "node18",
  outdir: out,
  outExtension: { ".js": ".mjs" },
  logLevel: "warning",
  plugins: [rawText],
});
const bundled = readdirSync(out, { recursive: true }).filter((name) => name.endsWith(".mjs"));
const files = [...bundled.map((name) => join(out, name)), join(here, "imports.test.mjs")];
const { status } = spawnSync(process.execPath, ["--test", ...files], { stdio: "inherit" });
rmSync(out, { recursive: true });
process.exit(status ?? 1);

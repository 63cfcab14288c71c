// Bundles src/*.test.ts and runs them with node's own test runner.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";
import { join } from "node:path";
import { build } from "esbuild";

const src = fileURLToPath(new URL("src", import.meta.url));
const tests = readdirSync(src).filter((name) => name.endsWith(".test.ts"));
const out = mkdtempSync(join(tmpdir(), "dashboard-tests-"));
await build({
  entryPoints: tests.map((name) => join(src, name)),
  bundle: true, platform: "node", format: "esm", target: "node18", outdir: out, outExtension: { ".js": ".mjs" }, logLevel: "warning",
});
const { status } = spawnSync(process.execPath, ["--test", ...readdirSync(out).map((name) => join(out, name))], { stdio: "inherit" });
rmSync(out, { recursive: true });
process.exit(status ?? 1);

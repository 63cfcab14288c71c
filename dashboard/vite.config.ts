import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { defineConfig, type Plugin } from "vite";

const collector = process.env.COLLECTOR ?? "http://127.0.0.1:8080";

/** The npm package with the WebAssembly module, as CMake builds it (bindings/js). */
const client = resolve(process.env.FUTURERAND_JS ?? "../build/release/bindings/js/package");

/** What the page contains of others, and on which terms. */
const licences: Plugin = {
  name: "licences",
  generateBundle() {
    const texts = ["preact", "uplot", "@fontsource-variable/geist", "@fontsource/newsreader"].map(
      (name) => `${name}\n\n${readFileSync(`node_modules/${name}/LICENSE`, "utf8").trim()}\n`,
    );
    this.emitFile({ type: "asset", fileName: "licences.txt", source: texts.join("\n\n") });
  },
};

export default defineConfig({
  // The base is relative, so that the page also works behind a proxy that adds a path.
  base: "./",
  plugins: [licences],
  resolve: { alias: { futurerand: resolve(client, "index.js") } },
  esbuild: { jsx: "automatic", jsxImportSource: "preact", legalComments: "none" },
  build: {
    target: "es2022",
    cssCodeSplit: false,
    modulePreload: { polyfill: false },
    // The content security policy does not allow data: addresses for fonts and scripts.
    assetsInlineLimit: 0,
    emptyOutDir: true,
    reportCompressedSize: true,
  },
  // The proxy keeps the page's own Host, since a collector refuses pages of other origins.
  server: {
    proxy: Object.fromEntries(["/v1", "/healthz"].map((path) => [path, { target: collector, changeOrigin: false }])),
  },
});

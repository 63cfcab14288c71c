import { defineConfig } from "vite";

const collector = process.env.COLLECTOR ?? "http://127.0.0.1:8080";

export default defineConfig({
  // Relative, so that the page also works behind a proxy that adds a path.
  base: "./",
  esbuild: { jsx: "automatic", jsxImportSource: "preact", legalComments: "none" },
  build: {
    target: "es2022",
    cssCodeSplit: false,
    modulePreload: { polyfill: false },
    // The content security policy has no data: for fonts and scripts.
    assetsInlineLimit: 0,
    emptyOutDir: true,
    reportCompressedSize: true,
  },
  server: { proxy: { "/v1": collector, "/healthz": collector } },
});

// Teaches esbuild that `import text from "file?raw"` is the text of the file, as in vite.
import { readFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";

export const rawText = {
  name: "raw text",
  setup(build) {
    build.onResolve({ filter: /\?raw$/ }, ({ path, importer }) => ({
      path: resolve(dirname(importer), path.replace(/\?raw$/, "")),
      namespace: "raw",
    }));
    build.onLoad({ filter: /./, namespace: "raw" }, async ({ path }) => ({
      contents: await readFile(path, "utf8"),
      loader: "text",
    }));
  },
};

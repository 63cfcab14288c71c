// Finds what the compiler and prettier do not: misused hooks, dead code, careless comparisons.
// Run at the root of the repository: eslint --config dashboard/eslint.config.js dashboard tests/dashboard
import js from "@eslint/js";
import hooks from "eslint-plugin-react-hooks";
import { defineConfig } from "eslint/config";
import ts from "typescript-eslint";

const browserAndNode = [
  "console",
  "crypto",
  "document",
  "fetch",
  "innerWidth",
  "scrollTo",
  "location",
  "performance",
  "process",
  "setTimeout",
  "URL",
];

export default defineConfig(
  { ignores: ["**/node_modules/"] },
  { linterOptions: { reportUnusedDisableDirectives: "error" } },
  js.configs.recommended,
  { rules: { eqeqeq: ["error", "always", { null: "ignore" }], "no-var": "error", "prefer-const": "error" } },
  {
    files: ["**/*.{ts,tsx}"],
    extends: [ts.configs.recommended],
    plugins: { "react-hooks": hooks },
    rules: {
      "react-hooks/rules-of-hooks": "error",
      "@typescript-eslint/consistent-type-imports": ["error", { fixStyle: "inline-type-imports" }],
    },
  },
  {
    files: ["**/*.{js,mjs}"],
    languageOptions: { globals: Object.fromEntries(browserAndNode.map((name) => [name, "readonly"])) },
  },
);

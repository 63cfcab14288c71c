// Labels, distributions and texts; signing in.
import { looksAt, looksAtWrittenPages } from "./looks_steps.mjs";
import "./value_steps.mjs";
import "./sign_in_steps.mjs";
import "./life_steps.mjs";

looksAt({
  labels: "metric/browsers",
  stack: "metric/browsers?look=stack",
  distribution: "metric/waiting",
  texts: "metric/pages?texts=%2F%0A%2Fhelp",
});
looksAtWrittenPages();

// One metric from its creation to its end, and the other screens.
import { keepPictures, looksAt } from "./looks_steps.mjs";
import { metric } from "./metric_steps.mjs";
import "./screen_steps.mjs";

looksAt(
  {
    metrics: "",
    metric: `metric/${metric}`,
    silent: "metric/silent",
    empty: "metric/trial",
    operate: `metric/${metric}/operate`,
    protection: `metric/${metric}/protection`,
    compare: `compare?first=${metric}&second=night-light`,
  },
  ["metrics", "metric"],
);
keepPictures([
  ["metric-light", `metric/${metric}?estimator=hindsight`, "light", 1280, 860],
  ["metric-dark", `metric/${metric}?estimator=hindsight`, "dark", 1280, 860],
  ["metrics", "?search=is", "light", 1280, 760],
  ["planner", "planner", "dark", 1280, 860],
  ["phone", `metric/${metric}`, "light", 360, 720],
]);

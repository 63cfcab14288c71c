// Shares, dates, stretches of time, notes, the form and the planner.
import { metric } from "./before_after_steps.mjs";
import { keepPictures, looksAt } from "./looks_steps.mjs";
import "./share_steps.mjs";
import "./create_steps.mjs";
import "./season_steps.mjs";
import "./segment_steps.mjs";

looksAt(
  {
    share: "metric/growing?as=share",
    endless: "metric/endless",
    windows: "metric/endless/protection",
    listed: "?search=endless",
    "before-after": `metric/${metric}?as=share&before=14..20&after=21..27`,
    embed: "embed/growing?as=share",
    segments: "metric/platforms?by=segment",
    pair: "metric/platforms?segment=linux&against=windows",
    public: "metric/platforms/protection",
    noted: `metric/${metric}/operate`,
    planner: "planner",
    playground: "playground",
    new: "new",
  },
  ["planner"],
);
keepPictures([["before-after", `metric/${metric}?as=share&before=14..20&after=21..27`, "light", 1280, 1180]]);

import "./parts.css";
import type { Metric } from "../collector/api";

/** Marks what was made for tests, so that nobody takes a simulated fleet for people. */
export const TestBadge = ({ metric }: { metric: Metric }) =>
  metric.test ? <span class="badge">Demonstration</span> : null;

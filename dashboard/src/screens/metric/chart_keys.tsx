import type { Metric } from "../../collector/api";

const timeZone = Intl.DateTimeFormat().resolvedOptions().timeZone;

/** How to move in the chart. */
export const ChartKeys = ({ metric }: { metric: Metric }) => (
  <p class="hint" id="chart-keys">
    Drag across the chart to zoom, double-click for all of it. On the keyboard: arrows read period by period, + and −
    zoom, 0 shows all.{metric.start != null && ` Dates are in your time zone, ${timeZone}.`}
  </p>
);

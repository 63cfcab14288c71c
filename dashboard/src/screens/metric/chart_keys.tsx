import type { Metric } from "../../collector/api";

/** How to move in the chart. */
export const ChartKeys = ({ metric }: { metric: Metric }) => (
  <p class="hint" id="chart-keys">
    Drag across the chart to zoom, double-click for all of it. On the keyboard: arrows read period by period, + and −
    zoom, 0 shows all.
    {metric.start != null && ` Dates are in the time zone of the metric, ${metric.time_zone ?? "UTC"}.`}
  </p>
);

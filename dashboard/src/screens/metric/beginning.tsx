import type { Metric } from "../../collector/api";
import { many } from "../../words";
import { MetricFacts } from "./facts";

/** A metric of which nothing can be estimated yet. */
export function Beginning({ metric }: { metric: Metric }) {
  return (
    <div class="empty">
      <h2>
        {metric.current_period === 0
          ? "It has not begun"
          : metric.devices === 0
            ? "No device has enrolled yet"
            : "The first period is still running"}
      </h2>
      <p>
        {metric.devices === 0
          ? "Devices join with the public plan of this metric, and their first reports are due when a period ends."
          : `${many(metric.devices, "device")} enrolled. The first estimate comes with the end of the first period.`}
      </p>
      <pre class="code">
        futurerand swarm --to {location.origin} --metric {metric.name}
      </pre>
      <MetricFacts metric={metric} periods={[]} />
    </div>
  );
}

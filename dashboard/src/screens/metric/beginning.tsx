import { metricPath, type Metric } from "../../collector/api";
import { isOver } from "../../estimates/known";
import { beginDate } from "../../dates";
import { many } from "../../words";
import { MetricFacts } from "./facts";

function heading(metric: Metric): string {
  const { current_period, devices } = metric;
  const start = beginDate(metric, 1);
  if (current_period === 0 && start) return `It starts on ${start} (${metric.time_zone ?? "UTC"})`;
  if (devices === 0) return isOver(metric) ? "No device ever joined" : "No device has joined yet";
  return current_period === 0 ? "It has not begun" : "The first period is still running";
}

/** A metric of which nothing can be estimated yet, and what fits it: simulated devices only for a test. */
export function Beginning({ metric }: { metric: Metric }) {
  const base = `${location.origin}${location.pathname}`.replace(/\/$/, "");
  return (
    <div class="empty">
      <h2>{heading(metric)}</h2>
      {metric.devices > 0 && (
        <p>{many(metric.devices, "device")} joined. The first estimate comes with the end of the first period.</p>
      )}
      {metric.test ? (
        <>
          <p>This metric was made for tests. A simulated fleet may report to it:</p>
          <pre class="code" tabIndex={0} aria-label="A command that runs a simulated fleet">
            futurerand swarm --to {base} --metric {metric.name}
          </pre>
        </>
      ) : (
        metric.devices === 0 && (
          <>
            <p>
              Devices join with the public plan of this metric, at the address below. The client library reads it,
              checks it and reports; examples/device.cpp in the repository is one to start from. Reports cannot be
              removed later. Use simulated devices only for test metrics.
            </p>
            <pre class="code" tabIndex={0} aria-label="The address of this metric">
              {base}/{metricPath(metric.name)}
            </pre>
          </>
        )
      )}
      <MetricFacts metric={metric} periods={[]} />
    </div>
  );
}

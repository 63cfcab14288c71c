// Who reports, how it goes, and what it costs in privacy.
import { periodsGone, type Group, type Metric, type PeriodEstimate } from "../../collector/api";
import { healthOf } from "../../estimates/health";
import { Fact } from "../../parts/fact";
import { href } from "../../state/route";
import { viewName } from "../../plan/view_name";
import { beginDate, endDate, periodsAsTime } from "../../dates";
import { count, duration, many, percent } from "../../words";

interface Props {
  metric: Metric;
  periods: PeriodEstimate[];
  /** The segment that the periods are of; none: all devices. */
  segment?: string | null;
}

export function MetricFacts({ metric, periods, segment }: Props) {
  const { plan } = metric;
  const total = plan.views.reduce((sum, view) => sum + view.weight, 0);
  const health = healthOf(metric, periods);
  const newest = periods[periods.length - 1];
  const left = plan.periods - periodsGone(metric);
  return (
    <div class="columns">
      {plan.views.length > 1 && (
        <section>
          <h2>Devices by what they report</h2>
          <p class="hint">
            Each device drew one of these report types when it joined, independently of its value, and reports only
            that.
          </p>
          <table class="views">
            <thead>
              <tr>
                <th scope="col">Reports</th>
                <th scope="col">Devices</th>
                <th scope="col">Share</th>
              </tr>
            </thead>
            <tbody>
              {plan.views.map((view, i) => {
                const devices = metric.views?.[i]?.devices;
                const share =
                  devices !== undefined && metric.devices > 0 ? devices / metric.devices : view.weight / total;
                return (
                  <tr key={i}>
                    <th scope="row">{viewName(view, plan.periods)}</th>
                    <td>{devices === undefined ? "–" : count(devices)}</td>
                    <td>
                      <meter min={0} max={1} value={share} aria-label={`${percent(share)} of the devices`} />{" "}
                      {percent(share)}
                    </td>
                  </tr>
                );
              })}
            </tbody>
          </table>
        </section>
      )}
      <section>
        <h2>Health</h2>
        <p class="hint">
          <span class={`dot ${health.state}`} aria-hidden="true" /> {health.word}. {health.why}
        </p>
        <dl class="facts">
          <Fact label="Reports in">{count(metric.reports ?? 0)}</Fact>
          <Fact label="Devices that ever enrolled">{count(metric.devices)}</Fact>
          {metric.inactive_after
            ? newest && (
                <Fact
                  label={`${metric.group ? "Active in the group, about" : "Active in the newest period"}${segment ? `, ${segment}` : ""}`}
                >
                  {count(newest.devices)}
                </Fact>
              )
            : null}
        </dl>
        {metric.group && <InGroup name={metric.name} group={metric.group} />}
        <p class="hint facts-since">Lines since the collector started{since(metric)}</p>
        <dl class="facts">
          <Fact label="Accepted">{count(metric.accepted ?? 0)}</Fact>
          <Fact label="Sent again, counted once">{count(metric.duplicates ?? 0)}</Fact>
          {metric.early !== undefined && <Fact label="Too early, to be sent again">{count(metric.early)}</Fact>}
          <Fact label="Refused">{count(metric.rejected ?? 0)}</Fact>
        </dl>
      </section>
      <section>
        <h2>Privacy</h2>
        <p class="hint">
          {metric.epsilon_in_any ? (
            <BothFigures metric={metric} />
          ) : (
            <>
              All that a device ever sends here costs at most {`ε\u00a0=\u00a0${plan.epsilon}`}, over all{" "}
              {many(plan.periods, "period")} together.
            </>
          )}
        </p>
        <dl class="facts">
          <Fact label="Protocol">{plan.protocol}</Fact>
          {metric.certificate?.certified && metric.certificate.exact_epsilon !== null && (
            <Fact label="Certified ε, at most">{metric.certificate.exact_epsilon.toFixed(6)}</Fact>
          )}
          <Fact label="Changes counted, at most">{count(plan.max_changes)}</Fact>
          {!metric.seasons && <Fact label="Periods to come">{count(left)}</Fact>}
          {metric.period_seconds && <Fact label="A period lasts">{duration(metric.period_seconds)}</Fact>}
          {metric.start != null && (
            <>
              <Fact label="Starts">{beginDate(metric, 1)}</Fact>
              {!metric.seasons && <Fact label="Ends">{endDate(metric, plan.periods)}</Fact>}
            </>
          )}
        </dl>
        <a class="more" href={href(["metric", metric.name, "protection"])}>
          What is protected, and what is not
        </a>
      </section>
    </div>
  );
}

/** A metric of a group asks a part of the devices, and counts all of them. */
function InGroup({ name, group }: { name: string; group: Group }) {
  const shares = Object.entries(group.shares);
  const total = shares.reduce((sum, [, share]) => sum + share, 0);
  return (
    <p class="hint" data-testid="group">
      One of {shares.length} metrics of the group <strong>{group.name}</strong>. Each device drew one of them, once and
      whatever its value, and takes part only in that: {percent((group.shares[name] ?? 0) / total)} of the devices drew
      this one. Figures count all devices of the group. Also in the group:{" "}
      {shares
        .filter(([other]) => other !== name)
        .map(([other], i) => (
          <>
            {i > 0 && ", "}
            <a href={href(["metric", other])}>{other}</a>
          </>
        ))}
      .
    </p>
  );
}

/** Both figures of a metric without an end: any window, and a life of three years. */
function BothFigures({ metric }: { metric: Metric }) {
  const [window, ...lives] = metric.epsilon_in_any!;
  const life = lives[lives.length - 1];
  if (!window || !life) return null;
  return (
    <>
      What a device does or holds in any {periodsAsTime(metric, window.periods)} in a row costs at most{" "}
      {`ε\u00a0=\u00a0${window.epsilon}`}. What stays true for three years costs at most{" "}
      {`ε\u00a0=\u00a0${life.epsilon}`}: it is told in up to {many(life.seasons, "season")}.
    </>
  );
}

const startedAt = new Intl.DateTimeFormat("en", { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" });

const since = ({ lines_since }: Metric) =>
  lines_since === undefined ? "" : `, ${startedAt.format(new Date(lines_since * 1000))}`;

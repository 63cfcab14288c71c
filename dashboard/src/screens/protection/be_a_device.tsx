import { useEffect, useRef, useState } from "preact/hooks";
import type { About, Client, Device, History } from "futurerand";
import { getMetric, type Metric } from "../../collector/api";
import { viewName } from "../../plan/view_name";
import { readerToken } from "../../collector/token";
import { useTick } from "../../state/use_tick";
import { percent } from "../../words";

/** What all metrics together may ever cost this browser. */
const ceiling = "4";

interface Joined {
  client: Client;
  about: About;
  history: History;
  /** Every line that has left this browser since it joined, oldest first. */
  sent: string[];
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

/** The visitor's browser as a real device of this metric: it joins, observes once a period, and sends. */
export function BeADevice({ metric, most }: { metric: Metric; most: number }) {
  const [joined, setJoined] = useState<Joined | null>(null);
  const [value, setValue] = useState(false);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<string | null>(null);
  const tick = useTick(2000);
  const [asking, setAsking] = useState(false);
  const device = useRef<Device | null>(null);
  // Its lock goes with the screen; its state stays in this browser.
  useEffect(() => () => void device.current?.close(), []);

  /** Runs one step, and shows what went wrong. */
  const attempt = async (step: () => Promise<void>) => {
    setBusy(true);
    setError(null);
    try {
      await step();
    } catch (problem) {
      setError(messageOf(problem));
    } finally {
      setBusy(false);
    }
  };

  const join = async (opened: Device) => {
    const { Client } = await import("futurerand");
    const client = await Client.open({
      url: new URL(".", location.href).href,
      metric: metric.name,
      device: opened,
      token: readerToken.value || undefined,
    });
    setJoined({ client, about: await client.about(), history: await opened.history(), sent: [] });
  };

  /** Joins nothing before the visitor agreed. Somebody who takes part already is not asked again. */
  const ask = () =>
    attempt(async () => {
      const { Device, IndexedDbStore } = await import("futurerand");
      const store = new IndexedDbStore("futurerand-device");
      device.current ??= await Device.open({ store, ceiling, askFirst: true });
      const { participation, metrics } = await device.current.history();
      const takesPart = metrics.some((each) => each.metric === metric.name && each.standing === "takes_part");
      if (participation === "on" && takesPart) await join(device.current);
      else setAsking(true);
    });

  const agree = () =>
    attempt(async () => {
      await device.current!.setParticipation("on");
      setAsking(false);
      await join(device.current!);
    });

  /** The decision is remembered. While it is off, nothing is observed or sent. */
  const takePart = (participation: "on" | "off") =>
    attempt(async () => {
      await device.current!.setParticipation(participation);
      setJoined({ ...joined!, history: await device.current!.history() });
    });

  useEffect(() => {
    if (!joined || busy) return;
    const turn = async () => {
      setBusy(true);
      try {
        const { current_period: period } = await getMetric(metric.name);
        await joined.client.observe(period, value);
        const { lines } = await joined.client.send();
        const sent = [...joined.sent, ...lines.split("\n").filter((line) => line !== "")];
        setJoined({
          ...joined,
          about: await joined.client.about(),
          history: await joined.client.device.history(),
          sent,
        });
        setError(null);
      } catch (problem) {
        setError(messageOf(problem));
      } finally {
        setBusy(false);
      }
    };
    void turn();
  }, [tick, joined?.client]);

  return (
    <section class="device" aria-label="Be a device">
      {!joined && !asking && (
        <button type="button" disabled={busy} onClick={() => void ask()}>
          Join with this browser
        </button>
      )}
      {!joined && asking && (
        <div class="notice" role="group" aria-label="Do you agree?">
          <p>
            This browser would report to {location.host} once a period, until period {metric.plan.periods}. It sends
            randomized signs and never your answer. Whatever anyone thought before, 50% cannot become more than{" "}
            {percent(most)}. This costs ε = {metric.plan.epsilon} of this browser's lifetime limit of {ceiling}. You can
            stop at any time. Sent reports stay counted.
          </p>
          <button type="button" disabled={busy} onClick={() => void agree()}>
            Agree and join
          </button>{" "}
          <button type="button" disabled={busy} onClick={() => setAsking(false)}>
            Not now
          </button>
        </div>
      )}
      {error && (
        <p class="notice bad" role="alert">
          {error}
        </p>
      )}
      {joined && (
        <>
          <div class="device-controls">
            <button type="button" class="bit" aria-pressed={value} onClick={() => setValue(!value)}>
              {value ? "I hold the state: yes" : "I hold the state: no"}
            </button>
          </div>
          <dl class="own-state" data-testid="own-state">
            <dt>Name here</dt>
            <dd>
              <code>{joined.about.client}</code>
            </dd>
            <dt>Way to report</dt>
            <dd>
              {joined.about.view === null
                ? "none while it rests"
                : viewName(metric.plan.views[joined.about.view]!, metric.plan.periods)}
            </dd>
            <dt>Last observed</dt>
            <dd>
              period {joined.about.period} of {metric.plan.periods}
              {joined.about.closed && ", the last"}
            </dd>
            <dt>Spent in all</dt>
            <dd>
              ε = {joined.history.spent} of {joined.history.ceiling}: {joined.history.meaning}
            </dd>
            <dt>Takes part</dt>
            <dd>
              {joined.history.participation === "off" ? (
                <button type="button" disabled={busy} onClick={() => void takePart("on")}>
                  Off: take part again
                </button>
              ) : (
                <button type="button" disabled={busy} onClick={() => void takePart("off")}>
                  On: switch off
                </button>
              )}
            </dd>
          </dl>
          <details>
            <summary>All that this browser ever sent</summary>
            <pre class="code wrapped" tabIndex={0} aria-label="All that this browser ever sent" data-testid="history">
              {joined.history.metrics
                .map((each) => {
                  const season = each.season === null ? "" : `, season ${each.season}`;
                  return [`${each.metric}${season}: ε = ${each.epsilon}`, ...each.sent, ...each.waiting].join("\n");
                })
                .join("\n\n")}
            </pre>
          </details>
          <p class="hint">
            The answer counts when a new period begins. The signs of a period are sent at its end. This browser has sent
            these lines since you opened the page:
          </p>
          <pre class="code wrapped" tabIndex={0} aria-label="What left this browser" data-testid="left">
            {joined.sent.join("\n") || "nothing yet"}
          </pre>
          <p>
            Suppose an observer of all lines, until the last period, gave your state a chance of 50% before. After all
            of them the chance is between {percent(1 - most)} and {percent(most)}. Your answer is in none of these
            lines.
          </p>
        </>
      )}
    </section>
  );
}

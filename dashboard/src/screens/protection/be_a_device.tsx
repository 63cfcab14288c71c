import { useEffect, useRef, useState } from "preact/hooks";
import type { About, Client, Ledger } from "futurerand";
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
  ledger: Ledger;
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
  const client = useRef<Client | null>(null);
  // Its lock goes with the screen; its state stays in this browser.
  useEffect(() => () => void client.current?.close(), []);

  const join = async () => {
    setBusy(true);
    setError(null);
    try {
      const { Client, IndexedDbStore } = await import("futurerand");
      const opened = await Client.open({
        url: new URL(".", location.href).href,
        metric: metric.name,
        store: new IndexedDbStore("futurerand-device"),
        ceiling,
        token: readerToken.value || undefined,
      });
      client.current = opened;
      setJoined({ client: opened, about: await opened.about(), ledger: await opened.device.ledger(), sent: [] });
    } catch (problem) {
      setError(messageOf(problem));
    } finally {
      setBusy(false);
    }
  };

  useEffect(() => {
    if (!joined || busy) return;
    const turn = async () => {
      setBusy(true);
      try {
        const { current_period: period } = await getMetric(metric.name);
        await joined.client.observe(period, value);
        const { lines } = await joined.client.send();
        const sent = [...joined.sent, ...lines.split("\n").filter((line) => line !== "")];
        setJoined({ ...joined, about: await joined.client.about(), sent });
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
      {!joined && (
        <button type="button" disabled={busy} onClick={() => void join()}>
          Join with this browser
        </button>
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
            <dt>Spent for ever</dt>
            <dd>
              ε = {joined.ledger.spent} of {joined.ledger.ceiling}
            </dd>
          </dl>
          <p class="hint">
            The answer counts when a new period begins. What left this browser since you came here; the signs of a
            period leave when it is over:
          </p>
          <pre class="code wrapped" tabIndex={0} aria-label="What left this browser" data-testid="left">
            {joined.sent.join("\n") || "nothing yet"}
          </pre>
          <p>
            Who receives all of it, now and until the last period, and thought before that you hold the state as likely
            as not, can afterwards be at most {percent(most)} sure, and at least {percent(1 - most)}. Your answer is in
            none of these lines.
          </p>
        </>
      )}
    </section>
  );
}

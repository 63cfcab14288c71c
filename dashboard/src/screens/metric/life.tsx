// The end of a metric: closing it, putting it out of sight, deleting it. Each asks once more.
import "./life.css";
import { useState } from "preact/hooks";
import { archiveMetric, closeMetric, deleteMetric, type Metric } from "../../collector/api";
import { Failed } from "../../parts/notices";
import { goTo, href } from "../../state/route";
import { keepToken, readToken } from "../../collector/token";

interface Deed {
  button: string;
  question: string;
  sure: string;
  act: (token: string) => Promise<unknown>;
}

function deedsOf(metric: Metric): Deed[] {
  const { name } = metric;
  const deeds: Deed[] = [];
  if (metric.state !== "closed")
    deeds.push({
      button: "Close it now",
      question: `Close ${name} before its time? It takes no more reports, and what is known of its devices is erased after a while. What was counted stays. Until then it can be reopened (futurerand metric close --undo).`,
      sure: "Yes, close it",
      act: (token) => closeMetric(name, token),
    });
  else if (metric.archived)
    deeds.push({
      button: "Bring it back",
      question: `Show ${name} in the list of metrics again?`,
      sure: "Yes, show it",
      act: (token) => archiveMetric(name, false, token),
    });
  else
    deeds.push({
      button: "Archive it",
      question: `Take ${name} out of the list of metrics? It can still be read, and brought back.`,
      sure: "Yes, archive it",
      act: (token) => archiveMetric(name, true, token),
    });
  deeds.push({
    button: "Delete it",
    question: `Delete ${name} for good? Its definition, its devices and all that was counted go, also from the collector's disk. This cannot be undone.`,
    sure: "Yes, delete it",
    act: async (token) => {
      await deleteMetric(name, token);
      goTo(href([]));
    },
  });
  return deeds;
}

export function Life({ metric, changed }: { metric: Metric; changed: () => void }) {
  const [asked, setAsked] = useState<Deed | null>(null);
  const [failed, setFailed] = useState("");
  const ask = (deed: Deed | null) => (setAsked(deed), setFailed(""));
  const act = async (event: Event) => {
    event.preventDefault();
    const token = String(new FormData(event.currentTarget as HTMLFormElement).get("token"));
    try {
      await asked!.act(token);
      keepToken(token);
      ask(null);
      changed();
    } catch (error) {
      setFailed(error instanceof Error ? error.message : String(error));
    }
  };
  return (
    <section class="life" aria-label="The end of this metric">
      <h2>The end of this metric</h2>
      {!asked && (
        <p class="deeds">
          {deedsOf(metric).map((deed) => (
            <button type="button" key={deed.button} onClick={() => ask(deed)}>
              {deed.button}
            </button>
          ))}
        </p>
      )}
      {asked && (
        <form onSubmit={act} aria-label="Are you sure?">
          <p>{asked.question}</p>
          <div class="field">
            <label for="life-token">Admin token</label>
            <input
              id="life-token"
              name="token"
              type="password"
              required
              defaultValue={readToken()}
              autocomplete="off"
            />
          </div>
          {failed && <Failed message={failed} />}
          <p class="deeds">
            <button type="submit" class="primary">
              {asked.sure}
            </button>
            <button type="button" onClick={() => ask(null)}>
              No, leave it
            </button>
          </p>
        </form>
      )}
    </section>
  );
}

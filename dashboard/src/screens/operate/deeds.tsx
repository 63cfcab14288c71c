// Closing a metric, putting it out of sight, deleting it. Each asks once more.
import { useState } from "preact/hooks";
import { archiveMetric, closeMetric, deleteMetric, type Metric } from "../../collector/api";
import { Failed } from "../../parts/notices";
import { goTo, href } from "../../state/route";
import { keepToken } from "../../collector/token";

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
      question: `Close ${name} before its end? It accepts no more reports. Its table of devices is erased after a delay, and the estimates stay. You can reopen it during the delay (futurerand metric close --undo).`,
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
      question: `Remove ${name} from the list of metrics? It stays readable, and you can bring it back.`,
      sure: "Yes, archive it",
      act: (token) => archiveMetric(name, true, token),
    });
  deeds.push({
    button: "Delete it",
    question: `Delete ${name} for good? Its definition, devices and estimates are erased, also from the collector's disk. This cannot be undone.`,
    sure: "Yes, delete it",
    act: async (token) => {
      await deleteMetric(name, token);
      goTo(href([]));
    },
  });
  return deeds;
}

interface DeedsProps {
  metric: Metric;
  token: string;
  changed: () => void;
  /** The token was refused. */
  forget: () => void;
}

export function Deeds({ metric, token, changed, forget }: DeedsProps) {
  const [asked, setAsked] = useState<Deed | null>(null);
  const [failed, setFailed] = useState("");
  const ask = (deed: Deed | null) => (setAsked(deed), setFailed(""));
  const act = async (event: Event) => {
    event.preventDefault();
    try {
      await asked!.act(token);
      ask(null);
      changed();
    } catch (error) {
      setFailed(error instanceof Error ? error.message : String(error));
    }
  };
  const otherToken = () => (keepToken(""), forget());
  return (
    <section aria-label="Close or delete this metric">
      <h2>Close or delete this metric</h2>
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
          {failed && <Failed message={failed} />}
          <p class="deeds">
            <button type="submit" class="primary">
              {asked.sure}
            </button>
            <button type="button" onClick={() => ask(null)}>
              No, leave it
            </button>
            {failed && (
              <button type="button" onClick={otherToken}>
                Use another token
              </button>
            )}
          </p>
        </form>
      )}
    </section>
  );
}

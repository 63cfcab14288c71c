// What a metric would give, beside the button that makes it: its error, and how small a change can be seen.
import { getPlan, type Planned } from "../../collector/api";
import { predictedShare, rangeOf, smallestChange } from "../../plan/outlook";
import { useLoad } from "../../state/connection";
import { count, many, percent, roundNoise } from "../../words";

export interface Asked {
  users: number;
  periods: number;
  changes: number;
  epsilon: string;
  /** Parameters of the kind of value. */
  value: Record<string, string>;
  number: { low: number; high: number; unit: string } | null;
  /** How many segments there are; 0 without any. */
  segments: number;
}

const rounded = (share: number) => percent(Number(share.toPrecision(2)));
const points = (share: number) => rounded(share).replace("%", " points");

export function OutlookPanel({ asked }: { asked: Asked }) {
  const valid = asked.users >= 1 && asked.periods >= 1 && asked.changes >= 0 && Number(asked.epsilon) > 0;
  const query = new URLSearchParams({
    users: String(asked.users),
    periods: String(asked.periods),
    changes: String(asked.changes),
    epsilon: asked.epsilon,
    ...asked.value,
  });
  const load = async (signal: AbortSignal) => {
    await new Promise((done) => setTimeout(done, 300));
    signal.throwIfAborted();
    return valid ? getPlan(query, signal) : null;
  };
  const { data, error } = useLoad<Planned | null>(`${valid} ${query}`, 0, load, "outlook");
  const share = data && predictedShare(data, asked.users);
  const { number } = asked;
  const figure = (of: number) =>
    number
      ? `${Number(((number.high - number.low) * of).toPrecision(2))}${number.unit ? ` ${number.unit}` : ""}`
      : points(of);
  return (
    <section
      class="outlook"
      aria-label="What it would give"
      data-testid="outlook"
      aria-live="polite"
      aria-busy={valid && !data && !error}
    >
      <h2>What it would give</h2>
      {error && <p class="warned">{error}</p>}
      {!error && share == null && <p class="hint">The prediction appears here.</p>}
      {share != null && (
        <dl class="facts">
          <div class="fact">
            <dt>A figure of one period is off by</dt>
            <dd>
              <b>± {figure(rangeOf(share))}</b>
              {!number && <small>{count(roundNoise(rangeOf(share) * asked.users))} devices, 95% confidence</small>}
            </dd>
          </div>
          <div class="fact">
            <dt>How small a change can I see?</dt>
            <dd>
              <b>{figure(smallestChange(share))}</b>
              <small>between two periods; means over several periods show smaller ones</small>
            </dd>
          </div>
          {asked.segments > 1 && (
            <div class="fact">
              <dt>In a segment with {count(asked.users / asked.segments)} devices</dt>
              <dd>
                <b>± {figure(rangeOf(share) * Math.sqrt(asked.segments))}</b>
                <small>one of {many(asked.segments, "segment")} of equal size</small>
              </dd>
            </div>
          )}
        </dl>
      )}
      {data?.warning && (
        <p class="warned" data-testid="outlook-warning">
          Too noisy to be useful. More devices, fewer periods, fewer changes or a larger ε make it calmer.
        </p>
      )}
    </section>
  );
}

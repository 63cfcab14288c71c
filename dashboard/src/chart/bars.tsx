import "./bars.css";
import type { PeriodEstimate } from "../collector/api";
import { shareSaid } from "../words";

export interface Bar {
  label: string;
  at: PeriodEstimate;
  /** A colour of the palette. */
  colour: string;
}

/** Shares of one period as bars, each with the ends of its range. */
export function Bars({ bars, name }: { bars: Bar[]; name: string }) {
  // A range that is wider than half of everything must not squeeze the bars.
  const ends = bars.map(({ at }) => Math.max(at.share ?? 0, Math.min(at.share_upper ?? 0, (at.share ?? 0) + 0.25)));
  const most = Math.max(0.01, ...ends);
  const place = (share: number) => `${(100 * Math.min(Math.max(share, 0), most)) / most}%`;
  return (
    <ul class="bars" aria-label={name}>
      {bars.map(({ label, at, colour }) => (
        <li key={label}>
          <span class="bar-label">{label}</span>
          <span class="bar-room" aria-hidden="true">
            {at.share !== null && (
              <>
                <i class="bar-length" style={{ width: place(at.share), background: `var(--${colour})` }} />
                <i
                  class="bar-range"
                  style={{
                    left: place(at.share_lower ?? at.share),
                    right: `calc(100% - ${place(at.share_upper ?? at.share)})`,
                  }}
                />
              </>
            )}
          </span>
          <span class="bar-figure">{inFigures(at)}</span>
        </li>
      ))}
    </ul>
  );
}

function inFigures({ share, share_upper }: PeriodEstimate): string {
  if (share === null || share_upper === null) return "not known";
  return shareSaid(share, share_upper - share);
}

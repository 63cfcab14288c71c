import type { Selection } from "./selection";

/** Buttons for the last few periods, or all. */
export function Ranges({
  last,
  selection,
  zoom,
}: {
  last: number;
  selection: Selection;
  zoom: (from: number, to: number) => void;
}) {
  const spans = [16, 64, 256, 1024].filter((span) => span < last);
  if (spans.length === 0) return null;
  const all = selection.from === 1 && selection.to >= last;
  return (
    <div class="choices ranges" role="group" aria-label="Range">
      <span class="legend">Last</span>
      <div class="choices-row">
        {spans.map((span) => (
          <button
            key={span}
            type="button"
            aria-pressed={selection.to >= last && selection.from === last - span + 1}
            onClick={() => zoom(last - span + 1, last)}
          >
            {span}
          </button>
        ))}
        <button type="button" aria-pressed={all} onClick={() => zoom(1, last)}>
          All
        </button>
      </div>
    </div>
  );
}

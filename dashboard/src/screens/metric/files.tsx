// Estimates to take along, as files, a link or a table.
import { useState } from "preact/hooks";
import {
  call,
  estimatesPath,
  valuesPath,
  type Metric,
  type PeriodEstimate,
  type ValueQuery,
} from "../../collector/api";
import { download } from "../../parts/download";
import type { Selection } from "./selection";
import { pngOf } from "../../chart/png";
import { periodDate } from "../../dates";
import { count, shareSaid } from "../../words";

interface DownloadsProps {
  metric: Metric;
  selection: Selection;
  segment: string | null;
  svg: () => string;
}

export function Downloads({ metric, selection, segment, svg }: DownloadsProps) {
  const path = estimatesPath(
    metric.name,
    selection.estimator,
    selection.level,
    selection.shown === "simultaneous" ? "simultaneous" : "pointwise",
    segment,
  );
  const file = `${metric.name}-${selection.estimator}${segment === null ? "" : `-${segment}`}`;
  return <Files path={path} file={file} svg={svg} />;
}

interface ValueDownloadsProps {
  metric: Metric;
  query: ValueQuery;
  svg: () => string;
  /** What the names of the files say beside the metric. */
  of?: string;
}

/** The answer of labels, quantiles or segments that is shown. */
export function ValueDownloads({ metric, query, svg, of }: ValueDownloadsProps) {
  return <Files path={valuesPath(metric.name, query)} file={of ? `${metric.name}-${of}` : metric.name} svg={svg} />;
}

function Files({ path, file, svg }: { path: string; file: string; svg: () => string }) {
  const [said, setSaid] = useState("");
  const fetched = async (type: string, ending: string) => {
    try {
      download(`${file}.${ending}`, type, await (await call(path, { accept: type })).text());
    } catch (error) {
      setSaid(error instanceof Error ? error.message : String(error));
    }
  };
  const picture = async () => {
    try {
      download(`${file}.png`, "image/png", await pngOf(svg()));
    } catch (error) {
      setSaid(error instanceof Error ? error.message : String(error));
    }
  };
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(location.href);
      setSaid("The link is copied. It opens this view.");
    } catch {
      setSaid("Copy a link to this view.");
    }
  };
  return (
    <div class="take">
      <span class="legend">Download</span>
      <button type="button" onClick={() => fetched("text/csv", "csv")}>
        CSV
      </button>
      <button type="button" onClick={() => fetched("application/json", "json")}>
        JSON
      </button>
      <button type="button" onClick={() => download(`${file}.svg`, "image/svg+xml", svg())}>
        SVG
      </button>
      <button type="button" onClick={picture}>
        PNG
      </button>
      <button type="button" onClick={copy}>
        Copy link
      </button>
      <span role="status" class="hint">
        {said}
      </span>
    </div>
  );
}

const shownRows = 24;

export function Table({
  metric,
  periods,
  selection,
}: {
  metric: Metric;
  periods: PeriodEstimate[];
  selection: Selection;
}) {
  const rows = periods
    .filter((at) => at.period >= selection.from && at.period <= selection.to)
    .slice(-shownRows)
    .reverse();
  return (
    <FiguresTable
      first="Period"
      caption={`The latest ${shownRows} of the periods shown; the files above have all of them. Lower and upper are the ends of the range for one period, the standard deviation is that of the noise, and the share is of the devices counted in the period.`}
      rows={rows.map((at) => ({ head: periodDate(metric, at.period) ?? count(at.period), at }))}
    />
  );
}

interface FiguresProps {
  /** The head of the first column. */
  first: string;
  caption: string;
  rows: { head: string; at: PeriodEstimate }[];
}

/** Estimates in figures, once the reader asks for them. */
export function FiguresTable({ first, caption, rows }: FiguresProps) {
  const [open, setOpen] = useState(false);
  const cell = (value: number | null) => (value === null ? "not known" : count(value));
  const heads = [first, "Estimate", "Lower", "Upper", "Standard deviation", "Share", "Reports in", "Reports due"];
  return (
    <details class="figures" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>As a table</summary>
      <div class="scroll" tabIndex={0} role="region" aria-label="Estimates as a table">
        <table>
          <caption>{caption}</caption>
          <thead>
            <tr>
              {heads.map((head) => (
                <th key={head} scope="col">
                  {head}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {(open ? rows : []).map(({ head, at }) => (
              <tr key={head}>
                <th scope="row">{head}</th>
                {[at.estimate, at.lower, at.upper, at.stddev].map((value, i) => (
                  <td key={i}>{cell(value)}</td>
                ))}
                <td>
                  {at.share === null || at.share_upper === null
                    ? "not known"
                    : shareSaid(at.share, at.share_upper - at.share)}
                </td>
                <td>{cell(at.reports)}</td>
                <td>{cell(at.expected)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}

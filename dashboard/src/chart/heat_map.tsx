import "./heat_map.css";
import { useEffect, useRef } from "preact/hooks";
import { colour, theme } from "../state/theme";

export interface HeatMapProps {
  /** By bucket from the lowest, then by period; null where nothing is known. */
  shares: (number | null)[][];
  /** What stands at the bottom, middle and top, and below the left and right ends. */
  rows: string[];
  columns: string[];
  summary: string;
  /** The bucket and the column under the pointer, or null. */
  onHover: (at: { bucket: number; column: number } | null) => void;
}

/** The share of each bucket over time: the stronger the colour, the more. */
export function HeatMap({ shares, rows, columns, summary, onHover }: HeatMapProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const buckets = shares.length;
  const periods = shares[0]?.length ?? 0;
  useEffect(() => {
    const paint = () => {
      const context = canvas.current!.getContext("2d")!;
      const most = Math.max(1e-9, ...shares.flat().map((share) => share ?? 0));
      context.clearRect(0, 0, periods, buckets);
      context.fillStyle = colour("estimate");
      shares.forEach((row, bucket) =>
        row.forEach((share, column) => {
          context.globalAlpha = Math.max(0, share ?? 0) / most;
          context.fillRect(column, buckets - 1 - bucket, 1, 1);
        }),
      );
    };
    paint();
    return theme.watch(paint);
  }, [shares]);
  const hover = (event: PointerEvent) => {
    const { left, top, width, height } = canvas.current!.getBoundingClientRect();
    const column = Math.floor(((event.clientX - left) / width) * periods);
    const bucket = buckets - 1 - Math.floor(((event.clientY - top) / height) * buckets);
    const inside = column >= 0 && column < periods && bucket >= 0 && bucket < buckets;
    onHover(inside ? { bucket, column } : null);
  };
  return (
    <div class="heat">
      <div class="heat-rows" aria-hidden="true">
        {[...rows].reverse().map((text) => (
          <span key={text}>{text}</span>
        ))}
      </div>
      <canvas
        ref={canvas}
        width={periods}
        height={buckets}
        role="img"
        aria-label={summary}
        onPointerMove={hover}
        onPointerLeave={() => onHover(null)}
      />
      <div class="heat-columns" aria-hidden="true">
        {columns.map((text, i) => (
          <span key={i}>{text}</span>
        ))}
      </div>
    </div>
  );
}

import type { View } from "../collector/api";
import { count, many } from "../words";

/** Returns how far apart the indices are that one device reports. */
const stride = ({ kind, law }: View, indices: number) => (kind === "snapshot" ? Math.ceil(indices / law.signs) : 1);

/** Says what a device that drew this view reports. */
export function viewName(view: View, periods: number): string {
  const { kind, order } = view;
  if (kind === "values") return "Value, every time";
  if (kind === "innovation") return "What is new about the value, every period";
  if (kind === "once") return "Value, once, on joining";
  if (kind === "pulse") return `A pulse or none, every period, window ${count(view.law.window!)}`;
  const every = order === 0 ? "every period" : `every ${count(2 ** order)} periods`;
  if (kind === "changes") return `Change, ${every}`;
  const indices = periods >> order;
  const step = stride(view, indices);
  if (step === indices) return order === 0 ? "Value, once" : `Value, once, at a multiple of ${count(2 ** order)}`;
  if (step === 1) return `Value, ${every}`;
  // A device that begins early may report once more.
  const [least, most] = [Math.floor(indices / step), Math.ceil(indices / step)];
  const times = least === most ? count(most) : `${count(least)} or ${count(most)}`;
  return `Value, ${times} times, ${many(step * 2 ** order, "period")} apart`;
}

import type { View } from "./api";
import { count } from "./words";

/** What a device that drew this view reports. */
export function viewName({ kind, order }: View): string {
  if (kind === "snapshot") return order === 0 ? "Value, once" : `Value, once, at a multiple of ${count(2 ** order)}`;
  if (kind === "values") return "Value, every time";
  return order === 0 ? "Change, every period" : `Change, every ${count(2 ** order)} periods`;
}

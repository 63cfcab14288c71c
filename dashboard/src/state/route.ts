// Where the page is, as the part of the address after '#': a link keeps the view.
import { Observable, useObservable } from "../observable";

export interface Route {
  parts: string[];
  query: URLSearchParams;
}

export function parseRoute(hash: string): Route {
  const [path, query = ""] = hash.replace(/^#\/?/, "").split("?", 2);
  const parts = (path ?? "").split("/").filter(Boolean).map(decodePart);
  return { parts, query: new URLSearchParams(query) };
}

function decodePart(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

export function href(parts: string[], query?: Record<string, string | number | undefined>): string {
  const search = new URLSearchParams();
  for (const [key, value] of Object.entries(query ?? {})) if (value !== undefined) search.set(key, String(value));
  const text = search.toString();
  return `#/${parts.map(encodeURIComponent).join("/")}${text ? `?${text}` : ""}`;
}

const route = new Observable(parseRoute(""));

export function startRouting(): void {
  const read = () => (route.value = parseRoute(location.hash));
  window.addEventListener("hashchange", read);
  read();
}

export const useRoute = () => useObservable(route);

export const goTo = (target: string) => (location.hash = target);

/** Changes the options of the view in place, so that a zoom makes no entry in the history. */
export function keepInLink(changes: Record<string, string | number | undefined>): void {
  const query = new URLSearchParams(route.value.query);
  for (const [key, value] of Object.entries(changes)) {
    if (value === undefined) query.delete(key);
    else query.set(key, String(value));
  }
  history.replaceState(null, "", href(route.value.parts, Object.fromEntries(query)));
  route.value = { parts: route.value.parts, query };
}

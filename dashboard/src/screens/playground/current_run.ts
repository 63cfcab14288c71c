// The run of this tab, so that it is still there when the reader comes back to it.
import type { PlaygroundRun } from "../../collector/api";
import { Observable } from "../../observable";

const key = "playground-run";

function stored(): PlaygroundRun | null {
  try {
    return JSON.parse(sessionStorage.getItem(key) ?? "null") as PlaygroundRun | null;
  } catch {
    return null;
  }
}

export const currentRun = new Observable<PlaygroundRun | null>(stored());

export function keepRun(run: PlaygroundRun | null): void {
  currentRun.value = run;
  if (run) sessionStorage.setItem(key, JSON.stringify(run));
  else sessionStorage.removeItem(key);
}

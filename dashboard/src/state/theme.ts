// Light or dark: the system's choice until the reader makes one.
import { Observable } from "../observable";
import { paletteColour, type Theme } from "./palette";

const system = matchMedia("(prefers-color-scheme: dark)");
const stored = localStorage.getItem("theme");
let chosen: Theme | null = stored === "light" || stored === "dark" ? stored : null;

export const theme = new Observable<Theme>("light");

function apply(): void {
  const next = chosen ?? (system.matches ? "dark" : "light");
  document.documentElement.dataset.theme = next;
  theme.value = next;
}

export function startTheme(): void {
  system.addEventListener("change", apply);
  apply();
}

export function toggleTheme(): void {
  chosen = theme.value === "dark" ? "light" : "dark";
  localStorage.setItem("theme", chosen);
  apply();
}

/** Returns a colour of the palette, for what is drawn on a canvas. */
export const colour = (name: string) => paletteColour(name, theme.value);

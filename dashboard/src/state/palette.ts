// The colours of palette.css for what CSS does not reach: a canvas, and files that leave the page.
import text from "../palette.css?raw";

export type Theme = "light" | "dark";

const pairs = new Map<string, Record<Theme, string>>();
for (const [, name, light, dark] of text.matchAll(/--([\w-]+): light-dark\((#\w+), (#\w+)\);/g)) {
  pairs.set(name!, { light: light!, dark: dark! });
}

export function paletteColour(name: string, theme: Theme): string {
  const pair = pairs.get(name);
  if (!pair) throw new Error(`palette.css has no colour '${name}'`);
  return pair[theme];
}

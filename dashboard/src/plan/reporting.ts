// One device in one view, whatever its kind: what it draws on joining, and what it then sends.
import type { View } from "../collector/api";
import { drawFirst, drawSigns, inputs, lnLikelihood, positions, randomize, type Sent } from "./device";
import { drawStock, lnNewsLikelihood, newsOf, newsUnit, sendNews, type Stock } from "./news";
import { drawUnchanged } from "./quiet";

/** All that is drawn before any data, for as many indices as there are. */
export interface Drawn {
  /** The first index that is reported, from 0. */
  first: number;
  noise: number[] | Stock;
  coins: number[];
  /** From 0 to 1, one for each index: whether news is told or left to a coin. */
  dice: number[];
}

const uniforms = (n: number) => [...crypto.getRandomValues(new Uint32Array(n))].map((word) => word / 2 ** 32);

export function draw(view: View, indices: number): Drawn {
  const news = view.kind === "news";
  return {
    first: drawFirst(view, indices),
    noise: news ? drawStock(view.law) : drawSigns(view.law),
    coins: drawUnchanged(view.law, indices),
    dice: news ? uniforms(indices) : [],
  };
}

export interface Reported extends Sent {
  /** Which of the values it is about, from 0. */
  at: number;
  /** What there was to report: -1, 0 or +1, or how new the value is. */
  input: number;
}

/** What a device that holds these values sends. */
export function report(view: View, drawn: Drawn, values: number[]): Reported[] {
  const { law } = view;
  if (view.kind === "news") {
    const news = newsOf(law, values);
    const sent = sendNews(law, drawn.noise as Stock, drawn.coins, drawn.dice, values);
    return sent.map(({ sign, carries }, i) => ({ sign, carries, at: i, input: news[i]! / newsUnit(law) }));
  }
  const at = positions(view, values.length, drawn.first);
  const from = inputs(view, values, drawn.first);
  const sent = randomize(law, drawn.noise as number[], drawn.coins, from);
  return sent.map(({ sign, carries }, i) => ({ sign, carries, at: at[i]!, input: from[i]! }));
}

/** ln of how likely these signs are from a device that holds these values. */
export function lnLikelihoodOf(view: View, first: number, values: number[], signs: number[]): number {
  return view.kind === "news"
    ? lnNewsLikelihood(view.law, values, signs)
    : lnLikelihood(view.law, inputs(view, values, first), signs);
}

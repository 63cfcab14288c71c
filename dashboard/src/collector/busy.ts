// When the collector, or a proxy before it, is too busy to answer: when to ask again.
import { Observable } from "../observable";

/** How often a busy collector is asked again, before the page says that it is busy. */
export const mostBusyAnswers = 60;

/** How many questions wait because the collector, or a proxy before it, is busy. */
export const busyQuestions = new Observable(0);

export const saysBusy = (status: number) => [429, 502, 503, 504].includes(status);

/**
 * Returns the pause before a busy collector is asked again, in milliseconds: what its answer says, or else one that
 * doubles with each answer.
 */
export const pauseAfter = (busyAnswers: number, seconds: number) =>
  seconds > 0 ? Math.min(seconds, 60) * 1000 : Math.min(500 * 2 ** busyAnswers, 8000);

export async function pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
  busyQuestions.value += 1;
  try {
    await new Promise<void>((done, abandon) => {
      const timer = setTimeout(done, milliseconds);
      signal?.addEventListener("abort", () => (clearTimeout(timer), abandon(signal.reason)), { once: true });
    });
  } finally {
    busyQuestions.value -= 1;
  }
}

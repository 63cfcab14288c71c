// One request for what is due of several clients of a device, tried again until it is answered.
import { ask, mostAnswer } from "./http.js";
import { FuturerandError, codeName } from "./module.js";

const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));
const counted = ["accepted", "duplicates", "rejected", "early"];

/** The lines of a request, without those that name the metrics. */
const linesOf = (request) =>
  request
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith('{"metric":'))
    .map((line) => `${line}\n`)
    .join("");

/** Adds up what became of the lines, and keeps the first failure. */
class Tally {
  lines = "";
  answer = null;
  failure = undefined;

  add(outcome) {
    this.answer ??= Object.fromEntries(counted.map((key) => [key, 0]));
    for (const key of counted) this.answer[key] += outcome[key];
    for (const { code, message } of outcome.failures) this.fail(new FuturerandError(codeName(code), message));
  }

  fail(error) {
    this.failure ??= error;
  }
}

/** Posts one request. Rejects if nobody answers, or not as a collector does. */
async function post(device, members, collector, request) {
  const { address, ...how } = collector;
  const text = await ask(`${address}/v1/reports`, { method: "POST", body: request, most: mostAnswer, ...how });
  // A client may have been closed meanwhile: its handle is not used then.
  return JSON.parse(
    await device.act(() => {
      const handles = device.handlesOf(members);
      const given = [Uint32Array.from(handles), handles.length, { sized: request }, { sized: text }];
      return device.module.text("fr_clients_answer", ...given);
    }),
  );
}

async function deliver(device, members, collector, request, { attempts, firstDelay }, tally) {
  let left = request;
  let resent = false;
  for (let attempt = 1; left !== ""; ++attempt) {
    let again = "";
    try {
      const outcome = await post(device, members, collector, left);
      tally.add(outcome);
      left = outcome.busy;
      if (!resent) again = outcome.lost;
      resent ||= outcome.lost !== "";
      if (left !== "" && attempt >= attempts) {
        tally.fail(new FuturerandError("unreachable", outcome.why_busy));
        left = "";
      }
    } catch (error) {
      if (error.code !== "unreachable" || attempt >= attempts) throw error;
    }
    // The pause is drawn, up to twice as long each time, so that a fleet does not come back at one moment.
    if (left !== "") await pause(Math.random() * Math.min(60_000, firstDelay * 2 ** (attempt - 1)));
    left += again;
  }
}

/** Sends what is due of these clients to one collector. The first failure is thrown once all is tried. */
export async function sendAll(device, members, collector, { attempts = 5, firstDelay = 200 } = {}) {
  const requests = JSON.parse(
    await device.act(() => {
      const handles = device.handlesOf(members);
      return device.module.text("fr_clients_requests", Uint32Array.from(handles), handles.length);
    }),
  );
  const tally = new Tally();
  for (const request of requests) {
    tally.lines += linesOf(request);
    try {
      await deliver(device, members, collector, request, { attempts, firstDelay }, tally);
    } catch (error) {
      tally.fail(error);
      break;
    }
  }
  if (tally.failure !== undefined) throw tally.failure;
  return { lines: tally.lines, answer: tally.answer };
}

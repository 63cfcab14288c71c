import { useMemo, useState } from "preact/hooks";
import { getMetric, type Metric, type Plan } from "./api";
import { certifyPlan, decimal } from "./certificate";
import { useLoad } from "./connection";
import { drawCoins, drawSigns, inputs, lnLikelihood, randomize } from "./device";
import { Failed, Title, Waiting } from "./parts";
import { href } from "./route";
import { viewName } from "./view_name";
import { count, many, percent } from "./words";

export function ProtectionView({ name }: { name: string }) {
  const { data: metric, error } = useLoad<Metric>(name, 0, (signal) => getMetric(name, signal));
  return (
    <article class="narrow prose">
      <p class="crumb">
        <a href={href(["metric", name])}>{name}</a>
      </p>
      <Title title={`What is protected, ${name}`}>What is protected</Title>
      {error && <Failed message={error} />}
      {!metric && !error && <Waiting what="the plan" />}
      {metric && <Sections metric={metric} />}
    </article>
  );
}

const times = (epsilon: number) => Math.exp(epsilon).toFixed(epsilon < 3 ? 2 : 0);

function Sections({ metric }: { metric: Metric }) {
  const { plan } = metric;
  const epsilon = Number(plan.epsilon);
  return (
    <>
      <p class="lead">
        “{metric.description || metric.name}” has an answer on every device, and that answer never leaves it. What leaves is a
        handful of plus and minus signs, most of them coin flips. The collector cannot tell which.
      </p>
      <h2>What leaves a device</h2>
      <p>
        On joining, a device draws a random name for this metric alone, one of {many(plan.views.length, "way")} to report, and its noise,
        before it looks at any answer. It then sends one sign when a report is due. Try it: this one runs in your browser, with this
        metric's own plan, and sends nothing.
      </p>
      <Device plan={plan} />

      <h2>What ε = {plan.epsilon} means here</h2>
      <p>
        Take everything that one device sends to this metric, over all {count(plan.periods)} periods. Whatever its user did, the same
        signs could have come from any other history, and at most e<sup>{plan.epsilon}</sup> = {times(epsilon)} times less likely. Nothing
        that anyone concludes from the signs can be more certain than that allows:
      </p>
      <table>
        <caption>How sure someone can get who has seen all of a device's reports</caption>
        <thead>
          <tr>
            <th scope="col">Thought before: “it is true”</th>
            <th scope="col">At least, after</th>
            <th scope="col">At most, after</th>
          </tr>
        </thead>
        <tbody>
          {[0.01, 0.1, 0.5, 0.9].map((prior) => (
            <tr key={prior}>
              <th scope="row">{percent(prior)}</th>
              <td>{percent(posterior(prior, -epsilon))}</td>
              <td>{percent(posterior(prior, epsilon))}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p>This is a bound on the whole sequence, not on each report: there is no budget that runs out, or starts anew, with time.</p>

      <h2>The exact certificate</h2>
      <p>
        The noise is made from integers that are in the public plan. A device checks them before it joins, and so does this page, now, in
        exact arithmetic: for each way to report, the largest probability that any noise has, over the smallest, must not exceed e
        <sup>{plan.epsilon}</sup>.
      </p>
      <CertificateTable plan={plan} />

      <h2>What someone with the whole log learns</h2>
      <p>
        The log holds, for each device, a random name, the period in which it joined, its way to report, and its signs. With all of it, and
        all the computing power there is, the table above is still the limit for every single user. What the log does give away is what it
        was made for: how many, over time, give or take the band.
      </p>

      <h2>What is not protected</h2>
      <ul class="points">
        <li>
          <b>Taking part.</b> The collector knows that a device joined, when, and can see the network address that its reports come from. Joining,
          being late and falling silent must not depend on the answer.
        </li>
        <li>
          <b>The whole.</b> If nearly everyone holds the state, it is no secret that you probably do. Counting is the purpose.
        </li>
        <li>
          <b>Other metrics.</b> Each spends its own ε, and they add up. A device keeps a ledger and refuses when its ceiling is reached.
        </li>
        <li>
          <b>Several devices of one person.</b> Two devices that always agree tell twice: 2 × ε = {2 * epsilon}.
        </li>
        <li>
          <b>More than {many(plan.max_changes, "change")}.</b> They are as private as the others, but not counted: the estimate lags behind.
        </li>
        <li>
          <b>The device itself.</b> Whoever holds it can read its present state; noise of reports already sent is erased.
        </li>
      </ul>
    </>
  );
}

const posterior = (prior: number, epsilon: number) => (prior * Math.exp(epsilon)) / (prior * Math.exp(epsilon) + 1 - prior);

const sign = (value: number) => (value > 0 ? "+" : "−");

function Device({ plan }: { plan: Plan }) {
  const heaviest = plan.views.reduce((best, view, i) => (view.kind === "changes" && view.weight > (plan.views[best]?.weight ?? 0) ? i : best), -1);
  const [chosen, setChosen] = useState(Math.max(0, heaviest));
  const [draw, setDraw] = useState(0);
  const view = plan.views[chosen]!;
  const length = Math.max(1, Math.min(12, plan.periods >> view.order));
  const [values, setValues] = useState<number[]>([0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1]);
  const held = values.slice(0, length);
  const noise = useMemo(
    () => ({ b: drawSigns(view.law), coins: drawCoins(length), at: Math.floor(Math.random() * length), client: hex(16) }),
    [chosen, draw, length],
  );
  const from = inputs(view, held, noise.at);
  const sent = randomize(view.law, noise.b, noise.coins, from);
  const other = inputs(view, held.map(() => 0), noise.at);
  const signs = sent.map(({ sign }) => sign);
  const ratio = Math.exp(lnLikelihood(view.law, from, signs) - lnLikelihood(view.law, other, signs));
  const first = view.kind === "snapshot" ? noise.at + 1 : 1;
  const text = signs.map((value) => (value > 0 ? "+" : "-")).join("");
  const flip = (at: number) => setValues(values.map((value, i) => (i === at ? 1 - value : value)));
  return (
    <section class="device" aria-label="A device">
      <div class="device-controls">
        <div class="field">
          <label for="device-view">Way to report</label>
          <select id="device-view" value={chosen} onChange={(event) => setChosen(Number(event.currentTarget.value))}>
            {plan.views.map((each, i) => (
              <option key={i} value={i}>{viewName(each)}</option>
            ))}
          </select>
        </div>
        <button type="button" onClick={() => setDraw(draw + 1)}>Draw new noise</button>
      </div>
      <div class="scroll" tabIndex={0} role="region" aria-label="What the device holds and sends">
        <table class="bits">
          <tbody>
            <tr>
              <th scope="row">Holds the state</th>
              {held.map((value, i) => (
                <td key={i}>
                  <button type="button" class="bit" aria-pressed={value === 1} aria-label={`index ${i + 1}: ${value ? "yes" : "no"}`} onClick={() => flip(i)}>
                    {value ? "yes" : "no"}
                  </button>
                </td>
              ))}
            </tr>
            <tr>
              <th scope="row">To report</th>
              {held.map((_, i) => {
                const input = view.kind === "snapshot" ? (i === noise.at ? from[0]! : null) : from[i]!;
                return <td key={i} class="input">{input === null ? "" : input === 0 ? "0" : input > 0 ? "+1" : "−1"}</td>;
              })}
            </tr>
            <tr>
              <th scope="row">Leaves the device</th>
              {held.map((_, i) => {
                const bit = view.kind === "snapshot" ? (i === noise.at ? sent[0] : undefined) : sent[i];
                return <td key={i} class={`sent ${bit?.carries ? "carries" : "coin"}`}>{bit && sign(bit.sign)}</td>;
              })}
            </tr>
          </tbody>
        </table>
      </div>
      <p class="hint">
        Underlined signs carry a change through the noise, the others are coin flips. Only the device knows which are which.
        {view.order > 0 && view.kind !== "snapshot" && ` A column is ${count(2 ** view.order)} periods.`}
      </p>
      <pre class="code" tabIndex={0} aria-label="The lines that are sent">
        {`{"client":"${noise.client}","view":${chosen},"period":1${view.kind === "snapshot" ? `,"index":${first}` : ""}}\n`}
        {`{"client":"${noise.client}","index":${first},"signs":"${text}"}`}
      </pre>
      <p>
        That is all the collector gets. These signs are <strong>{ratio.toFixed(2)} times</strong> as likely from this history as from one in
        which the state was never held. No signs and no two histories ever get beyond {times(Number(plan.epsilon))} times.
      </p>
    </section>
  );
}

const hex = (bytes: number) => [...crypto.getRandomValues(new Uint8Array(bytes))].map((byte) => byte.toString(16).padStart(2, "0")).join("");

function CertificateTable({ plan }: { plan: Plan }) {
  const certificates = useMemo(() => certifyPlan(plan), [plan]);
  const all = certificates.every((each) => each?.certified);
  const refused = certificates.some((each) => each && !each.certified);
  return (
    <>
      {all && <p class="notice good" data-testid="certified">Certified: recomputed here from the plan's integers, every way to report stays below the bound.</p>}
      {refused && <p class="notice bad">Not certified: the integers of this plan allow more than ε = {plan.epsilon}. Devices refuse to join.</p>}
      <div class="scroll" tabIndex={0} role="region" aria-label="Certificate">
        <table class="certificate">
          <thead>
            <tr>
              <th scope="col">Way to report</th>
              <th scope="col">Integers</th>
              <th scope="col">max P / min P</th>
              <th scope="col">exact ε</th>
            </tr>
          </thead>
          <tbody>
            {plan.views.map((view, i) => {
              const found = certificates[i];
              const { shape, signs, ...rest } = view.law;
              return (
                <tr key={i}>
                  <th scope="row">{viewName(view)}</th>
                  <td><code>{shape}, k {signs}{Object.entries(rest).map(([key, value]) => `, ${key.replace("_", " ")} ${value}`)}</code></td>
                  <td><code>{found ? decimal(found.ratio, 15) : "–"}</code></td>
                  <td><code>{found ? Math.log(Number(decimal(found.ratio, 15))).toFixed(9) : "–"}</code></td>
                </tr>
              );
            })}
          </tbody>
          <tfoot>
            <tr>
              <th scope="row">The bound, just below e<sup>{plan.epsilon}</sup></th>
              <td />
              <td><code>{certificates[0] ? decimal(certificates[0].bound, 15) : times(Number(plan.epsilon))}</code></td>
              <td><code>{Number(plan.epsilon).toFixed(9)}</code></td>
            </tr>
          </tfoot>
        </table>
      </div>
    </>
  );
}

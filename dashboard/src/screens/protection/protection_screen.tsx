import "./protection_screen.css";
import { getMetric, type Metric } from "../../collector/api";
import { Failed, Waiting } from "../../parts/notices";
import { Title } from "../../parts/title";
import { useLoad } from "../../state/connection";
import { href } from "../../state/route";
import { periodsAsTime } from "../../dates";
import { count, many, percent, timesLikelier } from "../../words";
import { BeADevice } from "./be_a_device";
import { CertificateTable } from "./certificate_table";
import { DeviceDemo } from "./device_demo";
import { InnovationExplained } from "./innovation_explained";
import { PulseExplained } from "./pulse_explained";
import { RowExplained } from "./row_explained";

export function ProtectionScreen({ name }: { name: string }) {
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

function Sections({ metric }: { metric: Metric }) {
  const { plan } = metric;
  const epsilon = Number(plan.epsilon);
  const quiet = plan.views.some(({ law }) => law.nonzero !== undefined);
  const innovation = plan.views.find(({ kind }) => kind === "innovation");
  const pulses = plan.views.some(({ kind }) => kind === "pulse");
  const once = plan.views.some(({ kind }) => kind === "once");
  const signs = once ? "one plus or minus sign" : `${innovation || pulses ? "" : "a handful of "}plus and minus signs`;
  const whatSigns = once
    ? "turned round by noise so often that the collector cannot tell when"
    : pulses
      ? "of which the few plus signs are mostly placed by chance. The collector cannot tell which"
      : innovation
        ? `${quiet ? "among many zeros for silence, and " : ""}each of them turned round by noise nearly as often as not. The collector cannot tell when`
        : `most of them ${quiet ? "made up, among zeros for silence" : "coin flips"}. The collector cannot tell which`;
  return (
    <>
      <p class="lead">
        “{metric.description || metric.name}” has an answer on every device, and that answer never leaves it. What
        leaves is {signs}, {whatSigns}.
      </p>
      <h2>What leaves a device</h2>
      <p>
        On joining, a device draws a random name for this metric alone
        {plan.views.length > 1 && `, one of ${many(plan.views.length, "way")} to report,`} and its noise, before it
        looks at any answer. It then sends one sign{" "}
        {once ? "for its first answer, and nothing later" : "when a report is due"}.
        {!plan.value &&
          " Try it: this one is the client that devices run, in your browser, with this metric's own plan, and it sends nothing."}
      </p>
      {quiet && (
        <p>
          {innovation ? "There is" : "Some ways to report know"} a third sign, 0, for silence: what a device mostly
          sends where nothing changed, and sometimes where something did. It leaves like any other sign, when it is due,
          so that silence gives away no more than they do.
        </p>
      )}
      {plan.value && plan.value.kind !== "number" && <RowExplained value={plan.value} />}
      {!plan.value && <DeviceDemo name={metric.name} plan={plan} />}
      {innovation && <InnovationExplained plan={plan} law={innovation.law} />}
      {pulses && <PulseExplained plan={plan} />}

      {plan.segment && (
        <div class="notice" data-testid="public-segment">
          <strong>“{plan.segment.name}” is not protected.</strong> When it joins, each device states its{" "}
          {plan.segment.name} in the clear, as one of {plan.segment.values.slice(0, 12).join(", ")}
          {plan.segment.values.length > 12 && ` and ${count(plan.segment.values.length - 12)} others`}. It must be
          something that the collector may know anyway. It costs no ε, because ε covers only what the device keeps to
          itself. A private attribute belongs into a metric of labels.
        </div>
      )}
      {metric.seasons && <Windows metric={metric} />}
      <h2>What ε = {plan.epsilon} means here</h2>
      <p>
        Take everything that one device sends to {metric.seasons ? "one season of " : ""}this metric, over all{" "}
        {count(plan.periods)} periods. Whatever its user did, the same signs could have come from any other history, and
        at most e<sup>{plan.epsilon}</sup> = {timesLikelier(epsilon)} times less likely. Nothing that anyone concludes
        from the signs can be more certain than that allows:
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
      <p>
        This is a bound on the whole sequence{metric.seasons ? " of a season" : ""}, not on each report
        {metric.seasons
          ? ". Each season of a device spends it anew."
          : ": there is no budget that runs out, or starts anew, with time."}
      </p>

      <h2>The exact certificate</h2>
      <p>
        The noise is made from integers that are in the public plan. A device checks them before it joins, and so does
        this page, now, with the same code: for each way to report, the largest probability that any noise has, over the
        smallest, must not exceed e<sup>{plan.epsilon}</sup>.
        {quiet &&
          " With silence, each probability is first divided by the one that the same signs have where nothing changes."}
        {innovation &&
          " How many of all noise vectors are loud is counted by adding one sign at a time, always rounded down, so that the ratio can only come out too large."}
      </p>
      <CertificateTable name={metric.name} plan={plan} />

      {metric.state === "open" && !plan.value && !metric.seasons && (
        <>
          <h2>Be a device</h2>
          <p>
            Your browser can take part for real: it checks the certificate, draws its noise, and sends what any device
            would. It joins this metric once, ever, and keeps its state, its noise and what it spent here. It is counted
            with the others.
          </p>
          <BeADevice metric={metric} most={posterior(0.5, epsilon)} />
        </>
      )}

      <h2>What someone with the whole log learns</h2>
      <p>
        The log holds, for each device, a random name, the period in which it joined, its way to report, and its signs.
        With all of it, and all the computing power there is, the table above is still the limit for every single user.
        What the log does give away is what it was made for: how many, over time, give or take the range.
      </p>

      <h2>What is not protected</h2>
      <ul class="points">
        <li>
          <b>Taking part.</b> The collector knows that a device joined, when, and can see the network address that its
          reports come from. Joining, being late and dropping out must not depend on the answer.
        </li>
        <li>
          <b>The whole.</b> If nearly everyone holds the state, it is no secret that you probably do. Counting is the
          purpose.
        </li>
        <li>
          <b>Other metrics.</b> Each spends its own ε, and they add up. A device keeps a ledger and refuses when its
          ceiling is reached.
        </li>
        <li>
          <b>Several devices of one person.</b> Two devices that always agree tell twice: 2 × ε = {2 * epsilon}.
        </li>
        <li>
          <b>More than {many(plan.max_changes, "change")}.</b> They are as private as the others, but{" "}
          {innovation ? "told ever more quietly" : "not counted"}: the estimate lags behind.
        </li>
        <li>
          <b>The device itself.</b> Whoever holds it can read its present state; noise of reports already sent is
          erased.
        </li>
      </ul>
    </>
  );
}

/** What a metric without an end promises: for any window, and for a life. */
function Windows({ metric }: { metric: Metric }) {
  const [window, ...lives] = metric.epsilon_in_any ?? [];
  const life = lives[lives.length - 1];
  if (!window || !life) return null;
  const days = periodsAsTime(metric, window.periods);
  return (
    <section data-testid="windows">
      <h2>In any {days}, and over years</h2>
      <p>
        <b>In any {days} in a row</b>, whatever you did or held: nothing that your device ever sends makes a fact about
        that time more than {timesLikelier(Number(window.epsilon))} times as likely or unlikely
        {` (ε\u00a0=\u00a0${window.epsilon})`}.
      </p>
      <p>
        <b>What stays true for years</b> is reported again each time your device takes part: up to{" "}
        {many(life.seasons, "time")} in three years{` (ε\u00a0=\u00a0${life.epsilon})`}. Someone who knows that all of
        these reports are yours could be nearly sure of it. Your device draws a new name each time, so the reports do
        not show this. Your network address may.
      </p>
      <p>
        Your device limits all metrics together: to a budget in any window of time, and to one for life. These limits
        are in its own ledger. No server can change them.
      </p>
    </section>
  );
}

const posterior = (prior: number, epsilon: number) =>
  (prior * Math.exp(epsilon)) / (prior * Math.exp(epsilon) + 1 - prior);

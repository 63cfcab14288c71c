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
    ? "Noise flips it so often that the collector cannot tell when it is true"
    : pulses
      ? "Chance places most of the few plus signs. The collector cannot tell which"
      : innovation
        ? `${quiet ? "Most symbols are zeros. " : ""}Noise flips almost half of the signs. The collector cannot tell which`
        : `Most of them are ${quiet ? "zeros or random" : "coin flips"}. The collector cannot tell which`;
  return (
    <>
      <p class="lead">
        Every device has its own answer to “{metric.description || metric.name}”. The answer stays there. A device sends
        only {signs}. {whatSigns}.
      </p>
      <h2>What leaves a device</h2>
      <p>
        On joining, a device draws a random name for this metric alone
        {plan.views.length > 1 && `, one of ${many(plan.views.length, "way")} to report,`} and its noise, before it
        looks at any answer. It then sends one sign{" "}
        {once ? "for its first answer, and nothing later" : "when a report is due"}.
        {!plan.value &&
          " Try it below. This is the real client with this metric's plan. It runs in your browser and sends nothing."}
      </p>
      {quiet && (
        <p>
          {innovation ? "There is" : "Some ways to report have"} a third symbol, 0. A device mostly sends it when
          nothing changed, and sometimes when something did. It is sent like any other sign, so it reveals no more than
          they do.
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
          something that the collector may know anyway. It costs no ε, because ε covers only private values. Use a
          metric of labels for a private attribute.
        </div>
      )}
      {metric.seasons && <Windows metric={metric} />}
      <h2>What ε = {plan.epsilon} means here</h2>
      <p>
        Take everything that one device sends to {metric.seasons ? "one season of " : ""}this metric, over all{" "}
        {count(plan.periods)} periods. Any other history of its user could have produced the same signs. Their
        probability differs by a factor of at most e<sup>{plan.epsilon}</sup> = {timesLikelier(epsilon)}. This limits
        what anyone can conclude from the signs:
      </p>
      <table>
        <caption>The certainty of an observer of all reports of a device</caption>
        <thead>
          <tr>
            <th scope="col">Belief before</th>
            <th scope="col">Lowest belief after</th>
            <th scope="col">Highest belief after</th>
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
        This is a bound on the whole sequence{metric.seasons ? " of a season" : ""}, not on each report.{" "}
        {metric.seasons ? "Each season of a device spends it again." : "The budget does not start again with time."}
      </p>

      <h2>The certificate</h2>
      <p>
        The noise comes from integers in the public plan. A device checks them before it joins. This page checks them
        now, with the same code. For each way to report, it divides the largest probability of any noise by the
        smallest. The ratio must not exceed e<sup>{plan.epsilon}</sup>.
        {quiet &&
          " With zero symbols, each probability is first divided by the probability of the same signs when nothing changes."}
        {innovation &&
          " The noise vectors of the high side are counted one sign at a time. Each step rounds down, so the ratio can only come out too large."}
      </p>
      <CertificateTable name={metric.name} plan={plan} />

      {metric.state === "open" && !plan.value && !metric.seasons && (
        <>
          <h2>Be a device</h2>
          <p>
            Your browser can take part for real. It checks the certificate, draws its noise and sends reports like any
            other device. It joins this metric only once. It stores its state, its noise and its spent budget here. It
            is counted with the others.
          </p>
          <BeADevice metric={metric} most={posterior(0.5, epsilon)} />
        </>
      )}

      <h2>What the log reveals</h2>
      <p>
        The log holds a random name for each device, its period of joining, its way to report, and its signs. The table
        above is the limit for every single user, even with the whole log and unlimited computing power. The log does
        reveal its purpose: the count over time, within its range.
      </p>

      <h2>What is not protected</h2>
      <ul class="points">
        <li>
          <b>Taking part.</b> The collector knows that a device joined, and when. It can see the network address of the
          device. Joining, being late and dropping out must not depend on the answer.
        </li>
        <li>
          <b>The total.</b> If nearly everyone holds the state, everyone knows that you probably do. The count is public
          on purpose.
        </li>
        <li>
          <b>Other metrics.</b> Each spends its own ε, and they add up. A device keeps a ledger and joins no metric
          above its ceiling.
        </li>
        <li>
          <b>Several devices of one person.</b> Two devices that always agree spend twice: 2 × ε = {2 * epsilon}.
        </li>
        <li>
          <b>More than {many(plan.max_changes, "change")}.</b> They are as private as the others, but{" "}
          {innovation ? "reported more and more faintly" : "not counted"}. The estimate lags behind.
        </li>
        <li>
          <b>The device itself.</b> Its owner can read its present state. The noise of sent reports is erased.
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
        <b>In any {days} in a row</b>, all reports of your device together make a fact about that time at most{" "}
        {timesLikelier(Number(window.epsilon))} times as likely or unlikely
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

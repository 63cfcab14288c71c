// What the planner found, in words and by protocol. Predictions are rounded to a device, as `futurerand plan` does.
import type { Planned, PlannedProtocol } from "../../collector/api";
import { horizonText, lastDay, rangeOf, smallestChange } from "../../plan/outlook";
import { Fact } from "../../parts/fact";
import { count, many, percent } from "../../words";
import type { Wanted } from "./scales";

export function Prediction({ planned, wanted, seconds }: { planned: Planned; wanted: Wanted; seconds: number }) {
  const best = planned.protocols.find((each) => each.name === planned.recommended);
  // Errors reach from a few users to more than there are: lengths go with the logarithm.
  const known = planned.protocols.flatMap((each) => (each.predicted_rmse === null ? [] : [each.predicted_rmse]));
  const least = Math.min(...known) / 2;
  const length = (rmse: number) => Math.log(rmse / least) / Math.log(Math.max(...known) / least);
  const sorted = [...planned.protocols].sort((a, b) => (a.predicted_rmse ?? Infinity) - (b.predicted_rmse ?? Infinity));
  const rows = (which: PlannedProtocol[]) =>
    which.map((each) => (
      <ProtocolRow
        key={each.name}
        each={each}
        best={each.name === planned.recommended}
        length={length}
        users={wanted.users}
      />
    ));
  const weaker = sorted.filter((each) => each.sequence_private === false);
  return (
    <>
      {best && best.predicted_rmse !== null && <Headline rmse={best.predicted_rmse} users={wanted.users} />}
      {best && best.predicted_rmse !== null && (
        <Terms share={best.predicted_rmse / wanted.users} wanted={wanted} seconds={seconds} />
      )}
      {planned.warning && (
        <p class="planner-need" data-testid="too-noisy">
          The estimate is too noisy to be useful. A 95% range would be at least half as wide as there are devices. More
          devices, fewer periods or a larger ε make it narrower.
        </p>
      )}
      {best?.users_needed && <Need needed={best.users_needed} wanted={wanted} />}
      <details class="by-protocol">
        <summary>All protocols, for specialists</summary>
        <div class="scroll" tabIndex={0} role="region" aria-label="By protocol">
          <table class="protocols">
            <caption>By protocol, in devices; all are predictions.</caption>
            <thead>
              <tr>
                <th scope="col">Protocol</th>
                <th scope="col" class="spread">
                  <span class="unseen">Typical error, drawn</span>
                </th>
                <th scope="col">Typical error</th>
                <th scope="col">Worst of all periods</th>
                <th scope="col">Devices for {percent(wanted.target_error)}</th>
              </tr>
            </thead>
            <tbody>
              <Group>Private over the whole sequence</Group>
              {rows(sorted.filter((each) => each.sequence_private !== false))}
            </tbody>
            {weaker.length > 0 && (
              <tbody>
                <Group>For comparison: a weaker promise</Group>
                {rows(weaker)}
              </tbody>
            )}
          </table>
        </div>
        <p class="hint after">
          The typical error is the root mean square over the periods. The worst of all periods is not exceeded with 95%
          probability. Bars are on a logarithmic scale; shorter is better.
        </p>
      </details>
    </>
  );
}

/** The same in dates, and in changes that can be seen. */
function Terms({ share, wanted, seconds }: { share: number; wanted: Wanted; seconds: number }) {
  const length = horizonText(wanted.periods, seconds)!;
  const until = lastDay(wanted.periods, seconds, Math.floor(Date.now() / 1000 / 86_400) * 86_400);
  const rounded = (of: number) => percent(Number(of.toPrecision(2)));
  return (
    <dl class="facts terms" data-testid="terms">
      <Fact label="How long it runs">
        {length}, from today until {until}
      </Fact>
      <Fact label="95% range of one period">± {rounded(rangeOf(share))}</Fact>
      <Fact label="How small a change can I see?">
        {rounded(smallestChange(share)).replace("%", " points")} between two periods; means over several periods show
        smaller ones
      </Fact>
    </dl>
  );
}

function Need({ needed, wanted }: { needed: number; wanted: Wanted }) {
  const times = needed / wanted.users;
  return (
    <p class="planner-need">
      For an error of {percent(wanted.target_error)} it takes <b>{count(needed)}</b> devices.
      {times <= 1
        ? " You have enough."
        : ` That is ${times < 10 ? Number(times.toFixed(1)) : count(times)} times what you have.`}
    </p>
  );
}

function Headline({ rmse, users }: { rmse: number; users: number }) {
  const rounded = Math.round(rmse);
  if (rounded >= users) {
    return (
      <p class="say" data-testid="prediction">
        Too few devices: the error would be larger than the count
      </p>
    );
  }
  return (
    <p class="say" data-testid="prediction">
      Off by about <strong>{count(rounded)}</strong> of {many(users, "device")}
      <span class="give">, {percent(rounded / users)}</span>
    </p>
  );
}

const Group = ({ children }: { children: string }) => (
  <tr class="group">
    <th scope="rowgroup" colSpan={5}>
      {children}
    </th>
  </tr>
);

interface ProtocolRowProps {
  each: PlannedProtocol;
  best: boolean;
  length: (rmse: number) => number;
  users: number;
}

function ProtocolRow({ each, best, length, users }: ProtocolRowProps) {
  const cell = (value: number | null | undefined) =>
    value === null || value === undefined ? "not known" : count(value);
  const name = (
    <th scope="row">
      {each.name}
      {best && <small>recommended</small>}
    </th>
  );
  if (each.predicted_rmse === null) {
    return (
      <tr class="unavailable">
        {name}
        <td colSpan={4}>{each.unavailable ?? "no prediction"}</td>
      </tr>
    );
  }
  const share = each.predicted_rmse / users;
  return (
    <tr class={best ? "best" : ""}>
      {name}
      <td class="spread">
        <span class="length" style={{ width: `${Math.max(1, 100 * length(each.predicted_rmse))}%` }} />
      </td>
      <td>
        {cell(each.predicted_rmse)} <small>{share > 1 ? "more than all" : percent(share)}</small>
      </td>
      <td>{cell(each.predicted_max_error)}</td>
      <td>{cell(each.users_needed)}</td>
    </tr>
  );
}

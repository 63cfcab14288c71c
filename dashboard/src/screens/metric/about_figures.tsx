// What the figures of a metric mean: short, labelled facts.
import type { Estimates } from "../../collector/api";
import { Fact } from "../../parts/fact";
import { count, roundedUp, sentence } from "../../words";

export function AboutFigures({ estimates, estimator }: { estimates: Estimates; estimator?: string }) {
  const { counted, assumption, one_device_moves_at_most: moves, transcript_cap: cap } = estimates;
  return (
    <dl class="facts about" data-testid="about">
      {estimator && <Fact label="What is shown">{estimator}</Fact>}
      {counted && <Fact label="Who is counted">{sentence(counted)}</Fact>}
      {moves != null && (
        <Fact label="What one dishonest device can do">
          Move the newest period by at most {moves.toFixed(1)} devices.
          {cap && (
            <span data-testid="capped">
              {" "}
              Each device's contribution is clipped at a level that one honest device in {count(1 / cap.rate)} exceeds
              in a period.
              {cap.bias_at_most > 0 &&
                ` If all are honest, this changes the newest period by at most ${roundedUp(cap.bias_at_most)} devices.`}
            </span>
          )}
        </Fact>
      )}
      {assumption && <Fact label="Assumptions">{sentence(assumption)}</Fact>}
    </dl>
  );
}

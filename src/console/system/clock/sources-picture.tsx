import {
  agreedOverlap,
  intervalOf,
  isVoting,
  placeOf,
  type Range,
  rangeOfSources,
} from "../../../contract/clock/source-intervals.ts";
import type { TimeSource, TimeSync } from "../../../contract/types.ts";
import { shortDuration, withUnit } from "../../catalogue/formats.ts";
import { t } from "../../catalogue/words.ts";
import { axisFor, placeInWords } from "../../plot/axis.ts";
import { Lane, Scale } from "../../plot/lanes.tsx";
import { block, upright, whole } from "../../plot/path.ts";
import { Plot } from "../../plot/plot.tsx";
import { visible } from "../../ui/visible.ts";
import { reasonOf } from "./clock-sentences.ts";
import { badgeOf, beyondInWords, offsetWithUncertainty, stateOf } from "./clock-words.ts";

/** Share of the axis that this host's label takes on a phone: an end that is so close to it has none. */
const labelShare = 0.28;

/** Each source as a bar on one axis; the picture has a text as well, and the table behind the fold has the figures. */
export function SourcesPicture({ status }: { readonly status: TimeSync }) {
  const { sources } = status;
  const agreed = agreedRange(status);
  const needed = rangeOfSources(sources);
  const axis = axisFor(needed ?? { low: 0, high: 0 });
  const zero = placeOf(axis, 0);
  const isZeroSeen = zero >= 0 && zero <= 1;
  const ends = [axis.low, axis.high].filter((at) => Math.abs(placeOf(axis, at) - zero) > labelShare);
  return (
    <div class="clock-bars lanes" role="img" aria-label={pictureInWords(sources, agreed)}>
      {needed !== null && (
        <Plot
          name="plot-marks"
          ends={{ time: axis, axis: whole }}
          bands={agreed === null ? [] : block(agreed)}
          line={isZeroSeen ? upright(0) : []}
        />
      )}
      <ul>
        {sources.map((source) => (
          <SourceLane key={source.id} source={source} axis={axis} />
        ))}
      </ul>
      {needed !== null && (
        <Scale
          range={axis}
          marks={[
            ...ends.map((at) => ({ at, text: placeInWords(axis, at), isBefore: at === axis.high })),
            ...(isZeroSeen ? [{ at: 0, text: t.clock.thisHost, isBefore: zero > 1 - labelShare }] : []),
          ]}
        />
      )}
    </div>
  );
}

/** The interval of a source, with a line at the time that it says, or at the end that this is beyond. */
function SourceLane({ source, axis }: { readonly source: TimeSource; readonly axis: Range }) {
  const interval = intervalOf(source);
  const isBeyond = interval !== null && (interval.high < axis.low || interval.low > axis.high);
  const words = [stateOf(source), reasonOf(source)?.text].filter(Boolean).join(": ");
  return (
    <Lane
      state={badgeOf(source)}
      title={visible(source.host)}
      range={axis}
      bands={interval === null ? [] : block(interval)}
      line={interval === null ? [] : upright(interval.middle)}
    >
      {isBeyond ? `${words} · ${beyondInWords(interval.middle)}` : words}
    </Lane>
  );
}

/** The overlap of all sources that agree, else the device's estimate from them; null: none is selected. */
export function agreedRange({
  sources,
  offset_seconds,
  uncertainty_seconds,
}: Pick<TimeSync, "sources" | "offset_seconds" | "uncertainty_seconds">): Range | null {
  if (!sources.some(({ state }) => state === "selected")) return null;
  const overlap = agreedOverlap(sources);
  if (overlap !== null) return overlap;
  // More than half of them suffice, so that all together need not overlap.
  if (offset_seconds === null || uncertainty_seconds === null) return null;
  return { low: offset_seconds - uncertainty_seconds, high: offset_seconds + uncertainty_seconds };
}

function pictureInWords(sources: readonly TimeSource[], agreed: Range | null): string {
  const each = sources.map((source) => {
    const { host, offset_seconds, uncertainty_seconds } = source;
    const size = uncertainty_seconds === null ? "" : withUnit("±", shortDuration(uncertainty_seconds));
    const figures = offset_seconds === null ? [] : [beyondInWords(offset_seconds), size];
    return [host, stateOf(source), ...figures].filter(Boolean).join(", ");
  });
  if (agreed === null) return `${t.clock.noAgreement} ${each.join("; ")}.`;
  const { low, high } = agreed;
  const offset = offsetWithUncertainty((low + high) / 2, (high - low) / 2);
  return `${t.clock.agreement(sources.filter(isVoting).length, offset)} ${each.join("; ")}.`;
}

import { useRef } from "preact/hooks";
import {
  intervalOf,
  isVoting,
  placeOf,
  type Range,
  rangeOfSources,
} from "../../../contract/clock/source-intervals.ts";
import type { TimeSource, TimeSync } from "../../../contract/types.ts";
import { shortDuration, withUnit } from "../../catalogue/formats.ts";
import { t } from "../../catalogue/words.ts";
import { type Axis, keepAxis, percent, placeInWords } from "../../plot/axis.ts";
import { visible } from "../../ui/visible.ts";
import { reasonOf } from "./clock-sentences.ts";
import { badgeOf, beyondInWords, offsetWithUncertainty, stateOf } from "./clock-words.ts";
import { agreedRange, seenOn } from "./picture-axis.ts";

/** Share of the axis that this host's label takes on a phone: so close to an end there is no room for the end's. */
const besideShare = 0.28;

/** So close to an end a label is not over its place but beside it. */
const labelShare = 0.2;

/** Each source as a bar on one axis; the picture has a text as well, and the table beneath has the figures. */
export function SourcesPicture({ status }: { readonly status: TimeSync }) {
  const { sources } = status;
  const kept = useRef<Axis | null>(null);
  const needed = rangeOfSources(sources);
  if (needed !== null) kept.current = keepAxis(kept.current, needed);
  const axis = needed === null ? null : kept.current;
  const agreed = agreedRange(status);
  return (
    <div class="clock-bars" role="img" aria-label={pictureInWords(sources, agreed)}>
      {axis !== null && <Field axis={axis} agreed={agreed} />}
      {sources.map((source) => (
        <Row key={source.id} source={source} axis={axis} />
      ))}
    </div>
  );
}

/** The field behind the bars: the agreed interval, this host's own place, and the scale. */
function Field({ axis, agreed }: { readonly axis: Axis; readonly agreed: Range | null }) {
  const zero = placeOf(axis, 0);
  const isZeroSeen = zero >= 0 && zero <= 1;
  const [from, to] = agreed === null ? [0, 0] : [placeOf(axis, agreed.low), placeOf(axis, agreed.high)];
  return (
    <svg aria-hidden="true" class="clock-field" width="100%" height="100%">
      {agreed !== null && (
        <rect class="clock-agreed" x={percent(from)} y="20" width={percent(to - from)} height="100%" />
      )}
      <line class="clock-scale" x1="0" x2="100%" y1="20" y2="20" />
      {isZeroSeen && <line class="clock-zero" x1={percent(zero)} x2={percent(zero)} y1="14" y2="100%" />}
      {isZeroSeen && <Label at={zero} text={t.clock.thisHost} isStrong />}
      {!(isZeroSeen && zero < besideShare) && (
        <Label at={0} text={`${zero < 0 ? "◂ 0 · " : ""}${placeInWords(axis, axis.low)}`} />
      )}
      {!(isZeroSeen && zero > 1 - besideShare) && (
        <Label at={1} text={`${placeInWords(axis, axis.high)}${zero > 1 ? " · 0 ▸" : ""}`} />
      )}
    </svg>
  );
}

function Label({
  at,
  text,
  isStrong = false,
}: {
  readonly at: number;
  readonly text: string;
  readonly isStrong?: boolean;
}) {
  const anchor = at < labelShare ? "start" : at > 1 - labelShare ? "end" : "middle";
  return (
    <text class={isStrong ? "clock-label strong" : "clock-label"} x={percent(at)} y="12" text-anchor={anchor}>
      {text}
    </text>
  );
}

function Row({ source, axis }: { readonly source: TimeSource; readonly axis: Axis | null }) {
  const interval = intervalOf(source);
  const seen = axis && interval && seenOn(axis, interval);
  const reason = reasonOf(source);
  return (
    <div class={`clock-row ${badgeOf(source)}`}>
      <div class="clock-name">
        <b>
          <bdi>{visible(source.host)}</bdi>
        </b>{" "}
        <span class="clock-said">{stateOf(source)}</span>
        {reason !== null && `: ${reason.text}`}
        {seen && interval && seen.beyond !== 0 && ` · ${beyondInWords(interval.middle)}`}
      </div>
      {seen && (
        <svg aria-hidden="true" class="clock-bar" width="100%" height="16">
          {seen.beyond === 0 && (
            <rect x={percent(seen.from)} y="3" width={percent(seen.to - seen.from)} height="10" rx="2" />
          )}
          {seen.isCutLow && <Shape at={0} path="M1 8l9-6v12z" />}
          {seen.isCutHigh && <Shape at={1} path="M-1 8l-9-6v12z" />}
          <Mark source={source} at={seen.middle} />
        </svg>
      )}
    </div>
  );
}

/** Pixels by which a mark is within the end that its place is beyond, to leave room for the arrow. */
const inset = 22;

/** Marks the time that the source says; the mark's shape tells the state without colour. */
function Mark({ source: { state }, at }: { readonly source: TimeSource; readonly at: number }) {
  const isBeyond = at < 0 || at > 1;
  if (state === "falseticker" || state === "suspect") {
    const from = at < 0 ? inset : isBeyond ? -inset : 0;
    return <Shape at={at} path={`M${from - 5} 3l10 10m0-10-10 10`} name="clock-cross" />;
  }
  if (isBeyond) return null;
  if (state === "selected") return <circle cx={percent(at)} cy="8" r="6" />;
  return <circle class={state === "candidate" ? "" : "clock-hollow"} cx={percent(at)} cy="8" r="3.5" />;
}

/** A path in pixels beside a place on the axis, or its nearer end. */
function Shape({ at, path, name }: { readonly at: number; readonly path: string; readonly name?: string }) {
  return (
    <svg aria-hidden="true" x={percent(Math.min(1, Math.max(0, at)))} class="clock-shape">
      <path d={path} class={name} />
    </svg>
  );
}

function pictureInWords(sources: readonly TimeSource[], agreed: Range | null): string {
  const each = sources.map((source) => {
    const { host, offset_seconds, uncertainty_seconds } = source;
    const size = uncertainty_seconds === null ? "" : withUnit("±", shortDuration(uncertainty_seconds));
    const figures = offset_seconds === null ? [] : [beyondInWords(offset_seconds), size];
    return [host, stateOf(source), ...figures].filter(Boolean).join(", ");
  });
  const middle = agreed && (agreed.low + agreed.high) / 2;
  const whole =
    agreed === null || middle === null
      ? t.clock.noAgreement
      : t.clock.agreement(
          sources.filter(isVoting).length,
          offsetWithUncertainty(middle, (agreed.high - agreed.low) / 2),
        );
  return `${whole} ${each.join("; ")}.`;
}

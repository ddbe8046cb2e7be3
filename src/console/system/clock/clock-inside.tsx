import type { ComponentChildren } from "preact";
import type { TimeSource, TimeSync } from "../../../contract/types.ts";
import { absoluteTime, shortDuration } from "../../catalogue/formats.ts";
import { t } from "../../catalogue/words.ts";
import { deviceAheadSeconds } from "../../client/device-time.ts";
import { Link } from "../../navigation/link.tsx";
import { withUncertainty } from "../../plot/axis.ts";
import { Badge } from "../../ui/badge.tsx";
import { Empty, type Fact, Facts } from "../../ui/page.tsx";
import { Said } from "../../ui/spoken.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { Time } from "../../ui/time.tsx";
import { visible } from "../../ui/visible.ts";
import { reasonOf } from "./clock-sentences.ts";
import {
  badgeOf,
  beyondInWords,
  isUnpolled,
  laterInWords,
  offsetWithUncertainty,
  sameSeconds,
  stateOf,
  stepInWords,
  whyUnpolled,
} from "./clock-words.ts";

/** Table and figures, before the buttons that are seldom needed. */
export function Body({
  status,
  children,
}: {
  readonly status: TimeSync;
  readonly children: ComponentChildren;
}) {
  const { sources } = status;
  return (
    <>
      {sources.length > 0 ? (
        <>
          <p class="hint">{t.clockDetails.legend}</p>
          <div class="clock-table">
            <Table caption={t.clock.sources} columns={columns()} rows={sources} rowKey={({ id }) => id} />
          </div>
        </>
      ) : (
        isUnpolled(status) && <Empty>{whyUnpolled(status)}</Empty>
      )}
      <p class="apart">
        <Link to="/system/history">{t.clockDetails.toHistory}</Link>
      </p>
      <ClockFacts status={status} />
      {children}
    </>
  );
}

/** The figures behind the sentence. */
function ClockFacts({ status }: { readonly status: TimeSync }) {
  const { source, discipliner, last_step, leap, poll_seconds, offset_seconds } = status;
  const items: readonly Fact[] = [
    offset_seconds !== null && [
      t.clockDetails.facts.offset,
      offsetWithUncertainty(offset_seconds, status.uncertainty_seconds),
    ],
    [t.clockDetails.facts.trust, t.clock.trusts[status.trust]],
    [t.clockDetails.facts.deviceTime, absoluteTime(new Date(status.server_time))],
    [t.clockDetails.facts.browser, browserInWords()],
    [
      t.clockDetails.columns.source,
      source === null ? (
        t.clockDetails.none
      ) : source.type === "manual" ? (
        t.clockDetails.aPerson
      ) : (
        <bdi>{visible(source.host)}</bdi>
      ),
    ],
    [t.clockDetails.facts.keptBy, discipliner.name ?? t.clockDetails.noProgram],
    [t.clockDetails.facts.lastSync, <Time key="sync" at={status.last_sync_at} />],
    poll_seconds !== null &&
      !isUnpolled(status) && [t.clockDetails.facts.poll, t.clockDetails.every(shortDuration(poll_seconds))],
    last_step !== null && [
      t.clockDetails.facts.lastStep,
      <>
        {stepInWords(last_step.seconds)}, <Time at={last_step.at} />
      </>,
    ],
    (leap === "insert" || leap === "delete") && [t.clockDetails.facts.leap, leap],
  ];
  return (
    <div class="rows-of-two apart">
      <Facts items={items} />
    </div>
  );
}

function browserInWords(): string {
  const ahead = deviceAheadSeconds();
  return Math.abs(ahead) < sameSeconds ? t.clockDetails.browserSame : beyondInWords(-ahead);
}

/** Bits of the reach register: so many polls are remembered. */
const polls = [7, 6, 5, 4, 3, 2, 1, 0] as const;

function columns(): Column<TimeSource>[] {
  const { source, state, offset, delay, stratum, reach } = t.clockDetails.columns;
  return [
    { key: "host", title: source, cell: nameOf },
    { key: "state", title: state, cell: stateWithReason },
    { key: "offset", title: offset, isNumber: true, cell: offsetOf },
    {
      key: "delay",
      title: delay,
      isNumber: true,
      cell: ({ delay_seconds: seconds }) => (seconds === null ? "–" : shortDuration(seconds)),
    },
    { key: "stratum", title: stratum, isNumber: true, cell: (one) => one.stratum ?? "–" },
    { key: "reach", title: reach, cell: (one) => <Reach reach={one.reach} /> },
  ];
}

function nameOf({ host, address }: TimeSource) {
  return (
    <div>
      <bdi>{visible(host)}</bdi>
      {address !== null && !host.includes(address) && <div class="hint">{address}</div>}
    </div>
  );
}

function stateWithReason(source: TimeSource) {
  const reason = reasonOf(source);
  return (
    <div>
      <Badge state={badgeOf(source)}>{stateOf(source)}</Badge>
      {reason !== null && (
        <div class="hint">
          <Said sentence={reason} />
        </div>
      )}
    </div>
  );
}

function offsetOf({ offset_seconds, uncertainty_seconds }: TimeSource): string {
  return offset_seconds === null ? "–" : withUncertainty(laterInWords(offset_seconds), uncertainty_seconds);
}

/** The last eight polls, the newest at the right: filled where an answer came. */
function Reach({ reach }: { readonly reach: number | null }) {
  if (reach === null) return <>–</>;
  const answered = polls.filter((bit) => (reach >> bit) & 1);
  return (
    <span
      class="clock-reach"
      role="img"
      aria-label={t.clockDetails.answered(answered.length)}
      title={t.clockDetails.answered(answered.length)}
    >
      {polls.map((bit) => (
        <i key={bit} class={answered.includes(bit) ? "on" : ""} />
      ))}
    </span>
  );
}

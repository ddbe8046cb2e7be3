import type { TimeSource } from "../../../contract/types.ts";
import { shortDuration } from "../../catalogue/formats.ts";
import { t } from "../../catalogue/words.ts";
import { withUncertainty } from "../../plot/axis.ts";
import { Badge } from "../../ui/badge.tsx";
import { Said } from "../../ui/spoken.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { visible } from "../../ui/visible.ts";
import { reasonOf } from "./clock-sentences.ts";
import { badgeOf, laterInWords, stateOf } from "./clock-words.ts";

/** Bits of the reach register: so many polls are remembered. */
const polls = [7, 6, 5, 4, 3, 2, 1, 0] as const;

/** The picture as figures. */
export function SourcesTable({ sources }: { readonly sources: readonly TimeSource[] }) {
  return (
    <div class="clock-table">
      <Table caption={t.clock.sources} columns={columns()} rows={sources} rowKey={({ id }) => id} />
    </div>
  );
}

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

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
  const length = (value: number | null): string => (value === null ? "–" : shortDuration(value));
  return [
    {
      key: "host",
      title: t.clock.columns.source,
      cell: ({ host, address }) => (
        <div>
          <bdi>{visible(host)}</bdi>
          {address !== null && !host.includes(address) && <div class="hint">{address}</div>}
        </div>
      ),
    },
    {
      key: "state",
      title: t.clock.columns.state,
      cell: (source) => {
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
      },
    },
    {
      key: "offset",
      title: t.clock.columns.offset,
      isNumber: true,
      cell: ({ offset_seconds, uncertainty_seconds }) =>
        offset_seconds === null ? "–" : withUncertainty(laterInWords(offset_seconds), uncertainty_seconds),
    },
    {
      key: "delay",
      title: t.clock.columns.delay,
      isNumber: true,
      cell: ({ delay_seconds }) => length(delay_seconds),
    },
    {
      key: "stratum",
      title: t.clock.columns.stratum,
      isNumber: true,
      cell: ({ stratum }) => stratum ?? "–",
    },
    { key: "reach", title: t.clock.columns.reach, cell: ({ reach }) => <Reach reach={reach} /> },
  ];
}

/** The last eight polls, the newest at the right: filled where an answer came. */
function Reach({ reach }: { readonly reach: number | null }) {
  if (reach === null) return <>–</>;
  const answered = polls.filter((bit) => (reach >> bit) & 1);
  return (
    <span
      class="clock-reach"
      role="img"
      aria-label={t.clock.answered(answered.length)}
      title={t.clock.answered(answered.length)}
    >
      {polls.map((bit) => (
        <i key={bit} class={answered.includes(bit) ? "on" : ""} />
      ))}
    </span>
  );
}

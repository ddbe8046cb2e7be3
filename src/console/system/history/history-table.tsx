import { useState } from "preact/hooks";
import type { AuditEvent } from "../../../contract/types.ts";
import { t } from "../../catalogue/words.ts";
import { type Column, Table } from "../../ui/table.tsx";
import { figuresInWords } from "./figure-words.ts";
import { happenedIn } from "./happenings.ts";
import type { Series, Steps } from "./series.ts";
import { momentInWords } from "./time-marks.ts";

/** Rows of the table, about: an hour of a day each, a quarter of a day of a week. */
const mostRows = 28;

interface TableProps {
  readonly steps: Steps;
  readonly series: readonly Series[];
  readonly events: readonly AuditEvent[] | null;
}

/** The same in words, behind a fold; the newest is first. */
export function HistoryTable(props: TableProps) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <details class="history-table" onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
      <summary>{t.history.table}</summary>
      {isOpen && <Rows {...props} />}
    </details>
  );
}

function Rows({ steps: { start, length, count }, series, events }: TableProps) {
  const size = Math.ceil(count / mostRows / 12) * 12;
  const rows = Array.from({ length: Math.ceil(count / size) }, (_, row) => row * size).reverse();
  const endOf = (from: number) => Math.min(count, from + size);
  const timeOfRow = (from: number) => {
    // The last row has the events of the step that is not over as well.
    const to = endOf(from) === count ? count + 1 : endOf(from);
    return { low: start + from * length, high: start + to * length - 1 };
  };
  const columns: Column<number>[] = [
    { key: "time", title: t.history.time, cell: (from: number) => momentInWords(start + from * length) },
    ...series.map((one) => ({
      key: one.name,
      title: t.history.plots[one.name],
      cell: (from: number) => figuresInWords(one, from, endOf(from)),
    })),
    {
      key: "events",
      title: t.history.happened,
      cell: (from: number) => <bdi>{happenedIn(events ?? [], timeOfRow(from)).join("; ")}</bdi>,
    },
  ].slice(0, events === null ? -1 : undefined);
  return <Table caption={t.history.title} columns={columns} rows={rows} rowKey={String} />;
}

import { t } from "../catalogue/words.ts";
import { type Column, Head, openByClick, type Sorting } from "../ui/table.tsx";
import { useRowsInView } from "./use-rows-in-view.ts";

interface LongTableProps<Row> {
  /** Names the table, and the class that gives the columns their places. */
  readonly name: string;
  /** Said to screen readers. */
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  /** The number of rows, read or not. */
  readonly total: number;
  readonly rowKey: (row: Row) => string;
  readonly isChosen?: (row: Row) => boolean;
  readonly sorting?: Sorting;
  readonly onSort?: (sorting: Sorting) => void;
  /** Called when the last row that has been read comes into sight. */
  readonly onEndNear: () => void;
}

/** Rows under heads, of which only those in the window are drawn; on a phone each row is two lines. */
export function LongTable<Row>(props: LongTableProps<Row>) {
  const { name, caption, columns, rows, total, rowKey, isChosen, sorting, onSort, onEndNear } = props;
  const { root, pieces, onFocusIn, onFocusOut } = useRowsInView(rows.map(rowKey), onEndNear);
  return (
    <div class={`table-place long-place ${name}-place`}>
      <table class={`table long ${name}`} aria-rowcount={total + 1}>
        <caption class="unseen">{caption}</caption>
        <thead>
          <tr aria-rowindex={1}>
            {columns.map((column) => (
              <Head key={column.key} column={column} sorting={sorting} onSort={onSort} />
            ))}
          </tr>
        </thead>
        <tbody ref={root} onFocusIn={onFocusIn} onFocusOut={onFocusOut}>
          {pieces.map((piece) => {
            if ("height" in piece) return <Gap key={`gap ${piece.gapBefore}`} {...piece} />;
            const row = rows[piece.index] as Row;
            const [key, look] = [rowKey(row), isChosen?.(row) ? "chosen" : undefined];
            return (
              <tr key={key} data-key={key} aria-rowindex={piece.index + 2} class={look} onClick={openByClick}>
                {columns.map((column) => (
                  <td key={column.key} class={classOf(column)}>
                    {column.cell(row)}
                  </td>
                ))}
              </tr>
            );
          })}
        </tbody>
      </table>
      <p class="on-paper">{t.lists.onPaper}</p>
    </div>
  );
}

function Gap({ height }: { readonly height: number }) {
  // biome-ignore lint/a11y/noAriaHiddenOnFocusable: a row without a cell takes no focus
  return <tr class="gap" aria-hidden="true" style={{ height: `${height}px` }} />;
}

function classOf<Row>({ key, isActions, opens }: Column<Row>): string {
  return `of-${key}${isActions ? " actions" : ""}${opens ? " opens" : ""}`;
}

/** The set with this key added, or removed if it had it. */
export function toggled(set: ReadonlySet<string>, key: string): ReadonlySet<string> {
  const next = new Set(set);
  if (!next.delete(key)) next.add(key);
  return next;
}

import type { ComponentChildren, TargetedMouseEvent } from "preact";
import { Shape } from "./shape.tsx";

export interface Column<Row> {
  readonly key: string;
  readonly title: string;
  readonly cell: (row: Row) => ComponentChildren;
  /** True: the rows can be sorted by it. */
  readonly isSortable?: boolean;
  readonly isNumber?: boolean;
  /** The column of the row's actions: its head is only spoken, and on a phone it is at the corner of the card. */
  readonly isActions?: boolean;
  /** The link or button in it opens the row, as does a click anywhere in the row. */
  readonly opens?: boolean;
  /** Shown in the head instead of the title. */
  readonly head?: ComponentChildren;
}

export interface Sorting {
  readonly key: string;
  readonly isDescending: boolean;
}

/** Rows under heads; on a phone each row is a card with the heads as labels. */
export function Table<Row>({
  caption,
  columns,
  rows,
  rowKey,
  sorting,
  onSort,
}: {
  /** Said to screen readers. */
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly rowKey: (row: Row) => string;
  readonly sorting?: Sorting;
  readonly onSort?: (sorting: Sorting) => void;
}) {
  return (
    <div class="table-place">
      <table class="table">
        <caption class="unseen">{caption}</caption>
        <thead>
          <tr>
            {columns.map((column) => (
              <Head key={column.key} column={column} sorting={sorting} onSort={onSort} />
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={rowKey(row)} onClick={openByClick}>
              {columns.map((column) => (
                <td key={column.key} data-label={column.title} class={kindOf(column)}>
                  {column.cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function kindOf<Row>({ isNumber, isActions, opens }: Column<Row>): string | undefined {
  return isActions ? "actions" : isNumber ? "number" : opens ? "opens" : undefined;
}

/** Opens a row by a click anywhere in it, except on another control, or at the end of marking text. */
export function openByClick({ target, currentTarget }: TargetedMouseEvent<HTMLElement>): void {
  if (target instanceof Element && target.closest("a, button, input, label, .menu-items") !== null) return;
  if (getSelection()?.isCollapsed === false) return;
  currentTarget.querySelector<HTMLElement>(".opens :is(a, button)")?.click();
}

export function Head<Row>({
  column,
  sorting,
  onSort,
}: {
  readonly column: Column<Row>;
  readonly sorting: Sorting | undefined;
  readonly onSort: ((sorting: Sorting) => void) | undefined;
}) {
  const { key, title, isSortable, isActions, head } = column;
  const isBy = sorting?.key === key;
  const direction = isBy ? (sorting.isDescending ? "descending" : "ascending") : undefined;
  return (
    <th scope="col" class={`of-${key} ${kindOf(column) ?? ""}`} aria-sort={direction}>
      {isSortable ? (
        <button
          type="button"
          onClick={() => onSort?.({ key, isDescending: isBy ? !sorting.isDescending : false })}
        >
          {title}
          <Shape name={isBy && sorting.isDescending ? "down" : "up"} />
        </button>
      ) : (
        (head ?? <span class={isActions ? "unseen" : undefined}>{title}</span>)
      )}
    </th>
  );
}

import type { ComponentChildren, TargetedMouseEvent } from "preact";

export interface Column<Row> {
  readonly key: string;
  readonly title: string;
  readonly cell: (row: Row) => ComponentChildren;
  readonly isNumber?: boolean;
  /** The link or button in it opens the row, as does a click anywhere in the row. */
  readonly opens?: boolean;
}

/** Rows under heads; on a phone each row is a card with the heads as labels. */
export function Table<Row>({
  caption,
  columns,
  rows,
  rowKey,
}: {
  /** Said to screen readers. */
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly rowKey: (row: Row) => string;
}) {
  return (
    <div class="table-place">
      <table class="table">
        <caption class="unseen">{caption}</caption>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column.key} scope="col" class={kindOf(column)}>
                {column.title}
              </th>
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

function kindOf<Row>({ isNumber, opens }: Column<Row>): string | undefined {
  return isNumber ? "number" : opens ? "opens" : undefined;
}

/** Opens a row by a click anywhere in it, except on another control, or at the end of marking text. */
export function openByClick({ target, currentTarget }: TargetedMouseEvent<HTMLElement>): void {
  if (target instanceof Element && target.closest("a, button, input, label, .menu-items") !== null) return;
  if (getSelection()?.isCollapsed === false) return;
  currentTarget.querySelector<HTMLElement>(".opens :is(a, button)")?.click();
}

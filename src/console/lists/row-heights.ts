/** The heights of a list's rows by key: measured once a row was drawn, until then the average of the first ones. */
export class RowHeights {
  readonly #measured = new Map<string, number>();
  /** It stays: rows that are not drawn would else change their height with each row, and move everything behind them. */
  #average: number | null = null;
  readonly #usual: number;

  /** `usual`: pixels of a row before any has been measured. */
  constructor(usual: number) {
    this.#usual = usual;
  }

  of(keys: readonly string[]): number[] {
    const usual = this.#average ?? this.#usual;
    return keys.map((key) => this.#measured.get(key) ?? usual);
  }

  /** Measures the rows in `root`, each with its key in `data-key`. Elements of one key, such as a row's details, add up. */
  measure(root: HTMLElement | null): void {
    const found = new Map<string, number>();
    for (const row of root?.querySelectorAll<HTMLElement>(":scope > [data-key]") ?? []) {
      const key = row.dataset.key ?? "";
      found.set(key, (found.get(key) ?? 0) + row.getBoundingClientRect().height);
    }
    for (const [key, height] of found) this.#measured.set(key, height);
    if (found.size > 0)
      this.#average ??= [...found.values()].reduce((sum, height) => sum + height, 0) / found.size;
  }

  /** In a window of another width every row has another height. */
  forget(): void {
    this.#measured.clear();
    this.#average = null;
  }
}

/** Keeps an element as high as it is until the result is called: WebKit would scroll a box that is low for a moment. */
export function holdHeight(element: HTMLElement | null | undefined): () => void {
  if (element) element.style.minHeight = `${element.getBoundingClientRect().height}px`;
  return () => element?.style.removeProperty("min-height");
}

/** How high the rows of a list are, by key: measured where they have been drawn, else as the first of them on the average. */
export class RowHeights {
  readonly #measured = new Map<string, number>();
  /** Stays: what has not been drawn would else grow and shrink with each row, and move all behind it. */
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

  /** Of the rows in there, each with its key in `data-key`; what belongs to one, such as its details, counts together. */
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

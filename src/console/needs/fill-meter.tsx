export interface FillMeterProps {
  readonly name: string;
  readonly free: number;
  readonly total: number;
  /** The agent has found that there is too little space; the page does not judge. */
  readonly isFull?: boolean | undefined;
}

/** Draws how much of a disk or of the memory is used. */
export function FillMeter({ name, free, total, isFull = false }: FillMeterProps) {
  // The browser's colour for the worst, whatever the value.
  const worst = isFull && { high: total * 0.001, optimum: 0 };
  return <meter aria-label={name} max={total} value={total - free} {...worst} />;
}

export function usedShare(free: number, total: number): number {
  return total === 0 ? 0 : (total - free) / total;
}

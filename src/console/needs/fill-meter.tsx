/** Shares from which on a meter is drawn in the browser's colour for the worst. */
const isFullFrom = { high: 0.001, optimum: 0 } as const;

interface FillMeterProps {
  readonly name: string;
  readonly free: number;
  readonly total: number;
  /** The agent has found that there is too little space; the page does not judge. */
  readonly isFull: boolean;
}

/** How full a disk or the memory is. */
export function FillMeter({ name, free, total, isFull }: FillMeterProps) {
  return <meter aria-label={name} max={1} value={usedShare(free, total)} {...(isFull && isFullFrom)} />;
}

export function usedShare(free: number, total: number): number {
  return total === 0 ? 0 : (total - free) / total;
}

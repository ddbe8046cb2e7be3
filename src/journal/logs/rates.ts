/** A number at once, and then so many a second. */
export interface Rate {
  readonly burst: number;
  readonly perSecond: number;
}

type Bucket = ReturnType<typeof createBucket>;

export function createBucket({ burst, perSecond }: Rate, milliseconds: () => number) {
  let left = burst;
  let filledAt = milliseconds();
  const fill = (): void => {
    const now = milliseconds();
    left = Math.min(burst, left + ((now - filledAt) * perSecond) / 1_000);
    filledAt = now;
  };
  return {
    /** False: it is empty. */
    take: (): boolean => {
      fill();
      if (left < 1) return false;
      left -= 1;
      return true;
    },
    /** The whole number that can be taken now. */
    left: (): number => {
      fill();
      return Math.floor(left);
    },
    isFull: (): boolean => {
      fill();
      return left === burst;
    },
  };
}

/** Keys whose rate is kept. With more, the oldest key is dropped. */
const mostKeys = 512;

export function createBuckets(rate: Rate, milliseconds: () => number): (key: string) => Bucket {
  const buckets = new Map<string, Bucket>();
  return (key) => {
    let bucket = buckets.get(key);
    if (bucket !== undefined) return bucket;
    if (buckets.size >= mostKeys) forgetSome(buckets);
    bucket = createBucket(rate, milliseconds);
    buckets.set(key, bucket);
    return bucket;
  };
}

function forgetSome(buckets: Map<string, Bucket>): void {
  for (const [key, bucket] of buckets) if (bucket.isFull()) buckets.delete(key);
  const [first] = buckets.keys();
  if (buckets.size >= mostKeys && first !== undefined) buckets.delete(first);
}

import type { ReleaseFigures } from "./tally.ts";

/** The rule by which a roll-out is stopped. */
export interface HaltRule {
  /** Percent of the devices that tried the release. */
  readonly percent: number;
  /**
   * As many devices, or addresses, are enough for a person; null: as many as rule out chance, and never fewer than
   * `fewestByChance`.
   */
  readonly least: number | null;
}

/** The decision to stop a roll-out or to let it continue, with its reason. */
export interface HaltVerdict {
  readonly release: ReleaseFigures;
  readonly halts: boolean;
  /** The lower bound of the share, in percent, where it decides; null: something else does. */
  readonly lowest_percent: number | null;
  /** One sentence for people. */
  readonly why: string;
}

/** Failures are reported within minutes, healthy trials later: the first few reports of a release are the worst ones. */
const fewestByChance = 5;

/** Confidence of the lower bound: one roll-out in twenty whose share is exactly at the limit looks worse than it is. */
const confidence = 0.95;

/** One verdict for each release that can be stopped: the newest of its channel, and on offer. */
export function judgeRollouts(figures: readonly ReleaseFigures[], rule: HaltRule): readonly HaltVerdict[] {
  return figures.filter(({ newestIn }) => newestIn.length > 0).map((release) => judge(release, rule));
}

function judge(release: ReleaseFigures, { percent, least }: HaltRule): HaltVerdict {
  const { undone, tried } = release;
  const verdict = (halts: boolean, why: string, lowest: number | null = null): HaltVerdict => {
    return { release, halts, lowest_percent: lowest, why };
  };
  if (tried === 0) return verdict(false, "no device has tried it to its end yet");
  const counted = countedWords(release);
  if (undone * 100 < percent * tried) return verdict(false, `${counted}, below ${percent} %`);
  if (least !== null)
    return undone >= least
      ? verdict(true, counted)
      : verdict(false, `${counted}, and --min-devices asks for ${least}`);
  const enough = `To stop it at so many: --min-devices ${undone}`;
  if (undone < fewestByChance)
    return verdict(false, `${counted}; fewer than ${fewestByChance} may be chance. ${enough}`);
  const lowest = lowestShare(undone, tried) * 100;
  if (lowest >= percent) return verdict(true, counted, roundPercent(lowest));
  const may = `the true share may be as low as ${roundPercent(lowest)} % (95 % confidence), below ${percent} %`;
  return verdict(false, `${counted}; ${may}. ${enough}`, roundPercent(lowest));
}

/** `undone on 3 of 51 that tried it (5.88 %), 2 of them by their silence` */
export function countedWords({ undone, tried, undone_percent, ...one }: ReleaseFigures): string {
  const silent = one.counts_silent && one.silent ? `, ${one.silent} of them by their silence` : "";
  return `undone on ${undone} of ${tried} that tried it (${undone_percent} %)${silent}`;
}

/**
 * The lower end of the one-sided interval of Clopper and Pearson (Biometrika 26, 1934, pages 404–413) for `undone` of
 * `tried`: the share under which so many or more would be seen with a probability of 5 %. It is exact for few devices,
 * where the interval of Wilson is up to a quarter too high.
 */
export function lowestShare(undone: number, tried: number): number {
  if (undone === 0) return 0;
  let [low, high] = [0, undone / tried];
  // Each halving gains a bit; 40 are finer than any share that is printed.
  for (let bit = 0; bit < 40; bit += 1) {
    const middle = (low + high) / 2;
    if (chanceOf(undone, tried, middle) > 1 - confidence) high = middle;
    else low = middle;
  }
  return low;
}

/** The probability of `least` or more of `tried` where each is one with the probability `share`, above 0 and below 1. */
function chanceOf(least: number, tried: number, share: number): number {
  let logTerm = tried * Math.log1p(-share);
  let fewer = 0;
  for (let count = 0; count < least; count += 1) {
    fewer += Math.exp(logTerm);
    logTerm += Math.log((tried - count) / (count + 1)) + Math.log(share) - Math.log1p(-share);
  }
  return 1 - fewer;
}

function roundPercent(percent: number): number {
  return Math.round(percent * 100) / 100;
}

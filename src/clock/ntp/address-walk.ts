import type { KissCode } from "./sample.ts";

/** The last words of an address that did not give the time; its times are monotonic seconds. */
interface Failure {
  readonly at: number;
  /** The last kiss-o'-death; null: there was none. */
  readonly kiss: KissCode | null;
  /** Log2 of the least seconds between two requests; 0: no kiss has made them rarer. */
  readonly exponent: number;
  readonly quietUntil: number;
  /** Answers since the last kiss or halving. */
  readonly answers: number;
}

const noFailure: Failure = { at: -1, kiss: null, exponent: 0, quietUntil: 0, answers: 0 };

/** Log2 seconds of the interval at which servers expect to be asked at most (RFC 5905 §7.2 has MINPOLL 4). */
const usual = 6;

/** Log2 seconds that RATE leads to at most: two hours (RFC 8633 §5.4). */
const mostByRate = 13;

/** Seconds for which a refusal holds at most, and the exponent that leads there. */
const mostRefusedSeconds = 86_400;
const mostByRefusal = 17;

/** Answers after which an interval that RATE has made longer is halved. */
const answersToHalve = 4;

/**
 * The order in which the addresses of one server are asked, and what became of those that did not give the time
 * (docs/design/trusted-time.md, rule 19).
 */
export class AddressWalk {
  /** In the order in which they failed last. */
  readonly #failures = new Map<string, Failure>();

  /** Those that have not failed come first, in the given order; then the others, the one that failed longest ago first. */
  inTurn(addresses: readonly string[]): readonly string[] {
    const failed = [...this.#failures.keys()];
    return addresses.toSorted((one, other) => failed.indexOf(one) - failed.indexOf(other));
  }

  /** True while the address is not to be asked. */
  isQuiet(address: string, now: number): boolean {
    return now < this.#last(address).quietUntil;
  }

  /** True where it refused this device, and has not answered since. */
  isRefused(address: string): boolean {
    return isRefusal(this.#last(address).kiss);
  }

  answered(address: string, now: number): void {
    const { kiss, exponent, answers, at } = this.#last(address);
    const isHalved = answers + 1 >= answersToHalve;
    const next = isHalved ? exponent - 1 : exponent;
    if (kiss !== "RATE" || next <= usual) this.#failures.delete(address);
    else this.#note(address, now, { kiss, exponent: next, answers: isHalved ? 0 : answers + 1, at });
  }

  /** It is silent, or its answer cannot be used. */
  failed(address: string, now: number): void {
    this.#note(address, now, { ...this.#last(address), at: now });
  }

  /**
   * `isSigned`: the kiss is authenticated, so a refusal holds for a day at once. Any other holds for minutes at first, since
   * who sees one request can send it: four times as long as the interval so far, which RATE makes longer as well.
   */
  kissed(
    address: string,
    now: number,
    { kiss, isSigned, intervalSeconds }: { kiss: KissCode; isSigned: boolean; intervalSeconds: number },
  ): void {
    const present = Math.max(usual, this.#last(address).exponent, Math.floor(Math.log2(intervalSeconds)));
    const most = isRefusal(kiss) ? mostByRefusal : mostByRate;
    const exponent = isSigned && isRefusal(kiss) ? most : Math.min(most, present + 2);
    this.#note(address, now, { kiss, exponent, answers: 0, at: now });
  }

  #last(address: string): Failure {
    return this.#failures.get(address) ?? noFailure;
  }

  #note(address: string, now: number, failure: Omit<Failure, "quietUntil">): void {
    // The names of pools lead to other addresses each hour.
    for (const [old, { at }] of this.#failures)
      if (now - at > 2 * mostRefusedSeconds) this.#failures.delete(old);
    // An answer does not change its place.
    if (failure.at === now) this.#failures.delete(address);
    const quietSeconds = failure.exponent === 0 ? 0 : Math.min(mostRefusedSeconds, 2 ** failure.exponent);
    this.#failures.set(address, { ...failure, quietUntil: now + quietSeconds });
  }
}

function isRefusal(kiss: KissCode | null): boolean {
  return kiss === "DENY" || kiss === "RSTR";
}

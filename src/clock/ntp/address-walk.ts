import type { KissCode } from "./sample.ts";

/** The record of an address that did not give the time. */
interface Failure {
  /** The last kiss-o'-death; null: there was none. */
  readonly kiss: KissCode | null;
  /** Log2 of the least seconds between two requests; 0: no kiss has made them rarer. */
  readonly exponent: number;
  /** Monotonic seconds. */
  readonly quietUntil: number;
  /** Answers since the last kiss or halving. */
  readonly answers: number;
}

const noFailure: Failure = { kiss: null, exponent: 0, quietUntil: 0, answers: 0 };

/** Log2 seconds of the interval at which servers expect to be asked at most (RFC 5905 §7.2 has MINPOLL 4). */
const usual = 6;

/** Log2 seconds that RATE leads to at most: two hours (RFC 8633 §5.4). */
const mostByRate = 13;

/** Seconds for which a refusal holds at most, and the exponent that leads there. */
const mostRefusedSeconds = 86_400;
const mostByRefusal = 17;

/** Answers after which an interval that RATE has made longer is halved. */
const answersToHalve = 4;

/** Failures that are remembered: the names of pools lead to other addresses each hour. */
const mostFailures = 64;

/** A kiss-o'-death that came so many seconds after the request before; `isSigned`: authenticated. */
interface Kissed {
  readonly kiss: KissCode;
  readonly isSigned: boolean;
  readonly intervalSeconds: number;
}

/** The order in which a server's addresses are asked, and those that gave no time (docs/design/trusted-time.md, rule 19). */
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
    const { kiss, exponent, answers } = this.#last(address);
    const isHalved = answers + 1 >= answersToHalve;
    const next = isHalved ? exponent - 1 : exponent;
    if (kiss !== "RATE" || next <= usual) this.#failures.delete(address);
    else this.#note(address, now, { kiss, exponent: next, answers: isHalved ? 0 : answers + 1 });
  }

  /** `kissed`: null where it was silent, or its answer cannot be used. */
  failed(address: string, now: number, kissed: Kissed | null = null): void {
    const last = this.#last(address);
    // Behind all that failed before it.
    this.#failures.delete(address);
    const kiss = kissed && { kiss: kissed.kiss, exponent: exponentAfter(last, kissed), answers: 0 };
    this.#note(address, now, kiss ?? last);
  }

  #last(address: string): Failure {
    return this.#failures.get(address) ?? noFailure;
  }

  #note(address: string, now: number, failure: Omit<Failure, "quietUntil">): void {
    const quietSeconds = failure.exponent === 0 ? 0 : Math.min(mostRefusedSeconds, 2 ** failure.exponent);
    this.#failures.set(address, { ...failure, quietUntil: now + quietSeconds });
    const [oldest = ""] = this.#failures.keys();
    if (this.#failures.size > mostFailures) this.#failures.delete(oldest);
  }
}

/** A signed refusal holds for a day; any other for four times the interval at first: who sees a request can send it. */
function exponentAfter({ exponent }: Failure, { kiss, isSigned, intervalSeconds }: Kissed): number {
  const most = isRefusal(kiss) ? mostByRefusal : mostByRate;
  if (isSigned && isRefusal(kiss)) return most;
  return Math.min(most, Math.max(usual, exponent, Math.floor(Math.log2(intervalSeconds))) + 2);
}

function isRefusal(kiss: KissCode | null): boolean {
  return kiss === "DENY" || kiss === "RSTR";
}

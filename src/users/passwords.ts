import { randomBytes, randomInt } from "node:crypto";
import { StewardError } from "../contract/errors.ts";

/** argon2id at OWASP's figures for 19 MiB: memory in KiB, passes, lanes. */
const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1, outputLen: 32 } as const;

/** Hashes waiting beyond the one that runs: more would only time out, and each holds 19 MiB when its turn comes. */
const maximumWaiting = 8;

/** Places that strangers may take: the last one is kept for sources that have signed in before. */
const strangersWaiting = maximumWaiting - 1;

/** Where a password comes from, for fairness in the queue; null is the device itself and is never refused. */
export type Source = string | null;

/** argon2id, one at a time, so that sign-ins arriving together neither eat the memory nor hold up other requests. */
export interface Passwords {
  /** A PHC string. Throws `hashing_busy`. */
  hash(password: string, source: Source): Promise<string>;
  /** With `phc` null (no such user) it takes the same time and is false. Throws `hashing_busy`. */
  verify(phc: string | null, password: string, source: Source): Promise<boolean>;
  /** True for a hash made at a lower cost than today's. */
  isWeaker(phc: string): boolean;
}

export interface PasswordsOptions {
  /** True for a source from which somebody has signed in of late. */
  isKnownSource: (source: string) => boolean;
}

export function createPasswords({ isKnownSource }: PasswordsOptions): Passwords {
  const turn = createTurns(isKnownSource);
  let decoy: string | undefined;
  const hashNow = async (password: string): Promise<string> => {
    // Loaded at the first use: a native module that an idle agent need not hold.
    const { hash } = await import("@node-rs/argon2");
    return hash(password.normalize("NFKC"), cost);
  };
  return {
    hash: (password, source) => turn(source, () => hashNow(password)),
    verify: (phc, password, source) =>
      turn(source, async () => {
        const { verify } = await import("@node-rs/argon2");
        decoy ??= await hashNow(randomBytes(16).toString("hex"));
        const matches = await verify(phc ?? decoy, password.normalize("NFKC"));
        return phc !== null && matches;
      }),
    isWeaker: (phc) => {
      const [, memory, passes] = /\$m=(\d+),t=(\d+),p=\d+\$/.exec(phc) ?? [];
      return Number(memory ?? 0) < cost.memoryCost || Number(passes ?? 0) < cost.timeCost;
    },
  };
}

/** Crockford's base32 without the letters that look like digits: 32 symbols, 5 bits each. */
const symbols = "0123456789abcdefghjkmnpqrstvwxyz";

/** A one-use password of 100 random bits in groups that can be read aloud. */
export function makeInitialPassword(): string {
  const group = () => Array.from({ length: 5 }, () => symbols[randomInt(symbols.length)]).join("");
  return [group(), group(), group(), group()].join("-");
}

/** Runs work one at a time in order of arrival; a source may have one waiting, all together eight. */
function createTurns(
  isKnownSource: (source: string) => boolean,
): <R>(source: Source, work: () => Promise<R>) => Promise<R> {
  const waiting: { source: Source; begin: () => void }[] = [];
  let isTaken = false;
  const handOn = (): void => {
    const next = waiting.shift();
    if (next) next.begin();
    else isTaken = false;
  };
  return async (source, work) => {
    if (isTaken) {
      if (source !== null) refuseSurplus(source, waiting, isKnownSource);
      await new Promise<void>((begin) => waiting.push({ source, begin }));
    }
    isTaken = true;
    try {
      return await work();
    } finally {
      handOn();
    }
  };
}

function refuseSurplus(
  source: string,
  waiting: readonly { source: Source }[],
  isKnownSource: (source: string) => boolean,
): void {
  const others = waiting.filter((one) => one.source !== null);
  const hasPlace =
    others.length < strangersWaiting || (others.length < maximumWaiting && isKnownSource(source));
  if (hasPlace && !others.some((one) => one.source === source)) return;
  throw new StewardError("hashing_busy", "Other sign-ins are being checked; try again in a second.", {
    details: { retryAfterSeconds: 1 },
  });
}

import { randomBytes, randomInt } from "node:crypto";
import { StewardError } from "../../contract/errors.ts";
import { type Argon2Cost, openArgon2, saltBytes, tagBytes, toPhc } from "./argon2.ts";

/** OWASP's figures for 19 MiB. */
const cost: Argon2Cost = { memory: 19_456, passes: 2, parallelism: 1 };

/** Hashes waiting besides the running one: more would only time out, and each holds 19 MiB in its turn. */
export const maximumWaiting = 8;

/** Places that strangers may take: the last one is kept for clients that have signed in before. */
const strangersWaiting = maximumWaiting - 1;

/** Hashes that one client may have waiting: a known one may be several people behind one address. */
const waitingOfOne = { known: 3, stranger: 1 } as const;

/** The client of a password, for fairness in the queue; null: the device itself, which is never refused. */
export type ClientKey = string | null;

/**
 * argon2id, one hash at a time, so that sign-ins arriving together neither fill the memory nor hold up other requests.
 */
export type Passwords = ReturnType<typeof createPasswords>;

/** `isKnownClient`: users have signed in from it. `ownCost`: of new hashes, and of an unknown user's; absent: today's. */
export function createPasswords({
  isKnownClient,
  ownCost = cost,
}: {
  isKnownClient: (clientKey: string) => boolean;
  ownCost?: Argon2Cost | undefined;
}) {
  const turn = createTurns(isKnownClient);
  const decoy = madeUpHash(ownCost);
  return {
    /** A PHC string. Throws `hashing_busy`. */
    hash: (password: string, clientKey: ClientKey): Promise<string> =>
      turn(clientKey, () => hashPassword(password, ownCost)),
    /** With `phc` null (no such user) it takes the same time and returns false. Throws `hashing_busy`. */
    verify: (phc: string | null, password: string, clientKey: ClientKey): Promise<boolean> =>
      turn(clientKey, async () => {
        const { verify } = await openArgon2();
        const matches = await verify(phc ?? decoy, password.normalize("NFKC"));
        return phc !== null && matches;
      }),
    /** True if the hash is to be made again at today's cost, now that its password is known. */
    needsRehash: (phc: string): boolean => isWeaker(phc, ownCost) || isCostlier(phc),
  };
}

/** True for a hash made at a lower cost than today's. */
export function isWeaker(phc: string, than = cost): boolean {
  const { memory, passes } = costOf(phc);
  return memory < than.memory || passes < than.passes;
}

/** KiB times passes that a file's hash may cost, twice today's: more would tell names by time, and hold up sign-ins. */
export const mostWork = 2 * cost.memory * cost.passes;

/** True for a hash above `mostWork`. */
export function isCostlier(phc: string): boolean {
  const { memory, passes } = costOf(phc);
  return memory * passes > mostWork;
}

function costOf(phc: string): Pick<Argon2Cost, "memory" | "passes"> {
  const [, memory, passes] = /\$m=(\d+),t=(\d+),p=\d+\$/.exec(phc) ?? [];
  return { memory: Number(memory ?? 0), passes: Number(passes ?? 0) };
}

/** The hash of a new password, for a program other than the agent, which has no queue. */
export async function hashPassword(password: string, atCost = cost): Promise<string> {
  const { hash } = await openArgon2();
  return hash(password.normalize("NFKC"), atCost);
}

/** Dummy hash: verifying against it takes as long as against a real one. */
export function madeUpHash(ofCost = cost): string {
  return toPhc(ofCost, randomBytes(saltBytes), randomBytes(tagBytes));
}

/** Crockford's base32 without the letters that look like digits: 32 symbols, 5 bits each. */
const symbols = "0123456789abcdefghjkmnpqrstvwxyz";

/** A one-use password of 100 random bits in groups that can be read aloud. */
export function makeInitialPassword(): string {
  const group = () => Array.from({ length: 5 }, () => symbols[randomInt(symbols.length)]).join("");
  return [group(), group(), group(), group()].join("-");
}

/** Runs work one at a time in order of arrival. A client may have few waiting, all together eight. */
function createTurns(
  isKnownClient: (clientKey: string) => boolean,
): <R>(clientKey: ClientKey, work: () => Promise<R>) => Promise<R> {
  const waiting: { clientKey: ClientKey; begin: () => void }[] = [];
  let isTaken = false;
  const handOn = (): void => {
    const next = waiting.shift();
    if (next) next.begin();
    else isTaken = false;
  };
  return async (clientKey, work) => {
    if (isTaken) {
      if (clientKey !== null) refuseSurplus(clientKey, waiting, isKnownClient);
      await new Promise<void>((begin) => waiting.push({ clientKey, begin }));
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
  clientKey: string,
  waiting: readonly { clientKey: ClientKey }[],
  isKnownClient: (clientKey: string) => boolean,
): void {
  const others = waiting.filter((one) => one.clientKey !== null);
  const own = others.filter((one) => one.clientKey === clientKey);
  const isKnown = isKnownClient(clientKey);
  const hasPlace = others.length < (isKnown ? maximumWaiting : strangersWaiting);
  if (hasPlace && own.length < waitingOfOne[isKnown ? "known" : "stranger"]) return;
  throw new StewardError("hashing_busy", "Other sign-ins are being checked. Try again in a second.", {
    details: { retryAfterSeconds: 1 },
  });
}

import { StewardError } from "../../contract/errors.ts";
import type { PasskeyProof } from "../../contract/types.ts";
import type { Uptime } from "../../host/ports.ts";
import { agentEvent, type EventSink } from "../../journal/events/event.ts";
import type { RequestContext } from "../request-context.ts";
import type { Undo } from "../throttle/counters.ts";
import type { Throttle } from "../throttle/throttle.ts";
import type { TrustedTime } from "../trusted-time.ts";
import type { Account, StoredFactor } from "../users/account.ts";
import type { Accounts } from "../users/accounts.ts";
import { readCode } from "./code-texts.ts";
import type { Passkeys } from "./passkeys.ts";
import { findRecoveryCode } from "./recovery-codes.ts";
import type { Seal } from "./seal.ts";
import { acceptedStepsAround, matchSteps, searchedStepsAround, secondsOfStep, stepOf } from "./totp.ts";
import type { UsedCodes } from "./used-codes.ts";

/** Proof of the second factor. Codes beside a passkey are neither judged nor spent. */
export interface FactorProof {
  readonly code?: string | undefined;
  readonly recovery_code?: string | undefined;
  readonly passkey?: PasskeyProof | undefined;
}

export interface FullProof extends FactorProof {
  readonly password: string;
}

export type FactorMethod = "totp" | "recovery_code" | "passkey";

/** Checks codes, recovery codes and passkeys. Each code works once. */
export type SecondFactor = ReturnType<typeof createSecondFactor>;

interface SecondFactorOptions {
  accounts: Accounts;
  throttle: Throttle;
  usedCodes: UsedCodes;
  passkeys: Passkeys;
  seal: Seal;
  time: TrustedTime;
  uptime: Uptime;
  events: EventSink;
  /** Asks for a measurement of the clock in the background. */
  requestSync: () => void;
}

/** The counter of the codes that are judged. */
interface CodeRow {
  /** Throws while codes are refused. Otherwise the code counts as one of the hour's until the result takes it back. */
  check: () => Undo;
  /** The code fits no time near: it counts as one of those in a row. */
  wrong: () => void;
  /** After any that was not right: a lock that has begun is written down. */
  refused: () => void;
}

/** A user who enables a secret has seen it, so there is nothing to guess. */
const uncounted: CodeRow = { check: () => () => undefined, wrong: () => undefined, refused: () => undefined };

/** Seconds between two measurements that wrong codes ask for. */
const syncIntervalSeconds = 5 * 60;

export function createSecondFactor(options: SecondFactorOptions) {
  const { accounts, throttle, seal, passkeys } = options;
  const proveCode = createProveCode(options);
  /** The `totp_required` of this account, with the request of the page to a passkey. */
  const missing = (account: Account, context: RequestContext, advice: string, challengeToken?: string) => {
    const passkey = passkeys.ask(account, context);
    const details = { ...(challengeToken !== undefined && { challengeToken }), ...(passkey && { passkey }) };
    return new StewardError("totp_required", advice, { details });
  };
  return {
    missing,
    /** Checks a code of a secret that is not the account's yet. Throws `totp_invalid` and `totp_reused`. */
    proveNew: (account: Account, secret: string, text: string, context: RequestContext): Promise<void> =>
      proveCode(account, secret, text, context, uncounted),
    /**
     * Throws `totp_required` when none is given, `totp_invalid`, `totp_reused`, `recovery_code_invalid`,
     * `passkey_invalid`, `account_locked` for a code after too many wrong ones, `second_factor_unavailable` when the
     * secret cannot be read.
     */
    prove: async (
      account: Account,
      factor: StoredFactor,
      proof: FactorProof,
      context: RequestContext,
    ): Promise<FactorMethod> => {
      if (proof.passkey !== undefined) {
        await passkeys.prove(account, factor, proof.passkey, context);
        return "passkey";
      }
      if (proof.recovery_code !== undefined) {
        const hash = factor.recovery_hashes[findRecoveryCode(factor.recovery_hashes, proof.recovery_code)];
        if (hash !== undefined && (await accounts.spendRecoveryCode(account.id, hash)))
          return "recovery_code";
        throw new StewardError(
          "recovery_code_invalid",
          "This is not one of the remaining recovery codes; each works once.",
        );
      }
      if (proof.code === undefined)
        throw missing(account, context, "This user also signs in with a code. Send `code`.");
      const secret = seal.open(factor.sealed_secret, account.id);
      await proveCode(account, secret, proof.code, context, {
        check: () => throttle.checkCodes(account.username),
        wrong: () => throttle.wrongCode(account.username),
        refused: () => recordLock(options, account, context),
      });
      throttle.rightCode(account.username);
      return "totp";
    },
  };
}

/** Judges a code, a text as the client sent it. Throws unless it is right and unused. */
function createProveCode(options: SecondFactorOptions) {
  const { usedCodes } = options;
  const skews = createSkewWatch(options);
  return async (
    account: Account,
    secret: string,
    text: string,
    context: RequestContext,
    row: CodeRow,
  ): Promise<void> => {
    const nowSeconds = options.time.nowSeconds();
    const code = readCode(text);
    const match = (around: number) =>
      code === undefined ? [] : matchSteps(secret, code, nowSeconds, around);
    const steps = await match(acceptedStepsAround);
    const near = steps.length > 0 ? steps : await match(searchedStepsAround);
    // Reading the trust notices that the clock has become trusted, and ends locks.
    options.time.isTrusted();
    // After the last await: of tries that arrive together, each is counted before the next one is answered.
    const takeBack = row.check();
    if (steps.length === 0) {
      // A code of another time is burnt below: the clock may be at fault, and a guess that hits one gains nothing.
      if (near.length === 0) row.wrong();
      row.refused();
      throw wrongCode(options, await skews.look(account, near, nowSeconds, context));
    }
    const used = await usedCodes.use(account.id, steps, options.time.epoch());
    if (used === undefined) {
      row.refused();
      throw reusedCode(options);
    }
    takeBack();
    skews.forget(account.id);
  };
}

/** Records a lock that this code has caused: codes were not refused before it. */
function recordLock(
  { throttle, events }: SecondFactorOptions,
  { id, username }: Account,
  { address, requestId }: RequestContext,
): void {
  const lock = throttle.lockOf(username);
  if (!lock?.totp) return;
  void events.record({
    ...agentEvent("codes.locked", { seconds: Math.ceil(lock.untilSeconds) }),
    ...{ subject: { id, name: username }, from: address, requestId },
  });
}

/** Looks for the nearest time of a wrong code (trusted-time.md, rule 4). Its step is burnt: a guess gains no later one. */
function createSkewWatch({ usedCodes, time, uptime, events, requestSync }: SecondFactorOptions) {
  const lastSkews = new Map<string, number>();
  let syncAskedAt = Number.NEGATIVE_INFINITY;
  const look = async (
    account: Account,
    [step, ...others]: readonly number[],
    nowSeconds: number,
    { address, requestId }: RequestContext,
  ): Promise<boolean> => {
    if (!time.isTrusted() && uptime() - syncAskedAt >= syncIntervalSeconds) {
      syncAskedAt = uptime();
      requestSync();
    }
    if (step === undefined) {
      lastSkews.delete(account.id);
      return false;
    }
    await usedCodes.burn(account.id, [...others, step]);
    const skewSeconds = secondsOfStep(step - stepOf(nowSeconds));
    const lastSkew = lastSkews.get(account.id);
    const isRepeated = lastSkew !== undefined && Math.abs(lastSkew - skewSeconds) <= secondsOfStep(1);
    lastSkews.set(account.id, skewSeconds);
    const details = { skew_seconds: skewSeconds, is_clock_trusted: time.isTrusted() };
    await events.record({
      ...agentEvent("two_factor.skew_seen", details),
      ...{ subject: { id: account.id, name: account.username }, from: address, requestId },
    });
    return isRepeated || !time.isTrusted();
  };
  return { look, forget: (accountId: string): void => void lastSkews.delete(accountId) };
}

/** The password was right, so the user may learn the state of the device's clock. */
function wrongCode({ time }: SecondFactorOptions, isSkewSuspected: boolean): StewardError {
  const advice = isSkewSuspected
    ? " It is the code of another time: the clock of the device or of the authenticator is wrong. Compare `clock.server_time`, set the wrong one, or use a recovery code."
    : " Wait for the next one and try again, or use a recovery code.";
  return new StewardError("totp_invalid", `The code is not right.${advice}`, {
    details: { clock: time.describe({ isProven: true, isSkewSuspected }) },
  });
}

function reusedCode({ time }: SecondFactorOptions): StewardError {
  return new StewardError(
    "totp_reused",
    "This code was used before; each works once. Wait for the next one.",
    { details: { clock: time.describe({ isProven: true }) } },
  );
}

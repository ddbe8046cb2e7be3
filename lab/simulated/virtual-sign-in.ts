import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { createEnrolment } from "../../src/accounts/second-factor/enrolment.ts";
import { createPasskeys } from "../../src/accounts/second-factor/passkeys.ts";
import { makeRecoveryCodes } from "../../src/accounts/second-factor/recovery-codes.ts";
import { createSeal } from "../../src/accounts/second-factor/seal.ts";
import { createSecondFactor } from "../../src/accounts/second-factor/second-factor.ts";
import { createUsedCodes, usedCodesKind } from "../../src/accounts/second-factor/used-codes.ts";
import { sessionsKind } from "../../src/accounts/sessions/session.ts";
import { sessionEvents } from "../../src/accounts/sessions/session-events.ts";
import { createSessions } from "../../src/accounts/sessions/sessions.ts";
import { createStepUps } from "../../src/accounts/sessions/step-up.ts";
import { createOwnAccount } from "../../src/accounts/sign-in/own-account.ts";
import { throttleRecordKind } from "../../src/accounts/throttle/throttle-record.ts";
import { apiTokensKind } from "../../src/accounts/tokens/api-token.ts";
import { createApiTokens } from "../../src/accounts/tokens/api-tokens.ts";
import { type Account, accountsKind, type StoredFactor } from "../../src/accounts/users/account.ts";
import { createAccounts } from "../../src/accounts/users/accounts.ts";
import { createPasswords } from "../../src/accounts/users/passwords.ts";
import { StewardError } from "../../src/contract/errors.ts";
import type { EventFacts, EventSink } from "../../src/journal/events/event.ts";
import { codeOf } from "../basics/authenticator.ts";
import { createTestThrottle } from "./throttle-at.ts";
import { temporaryDocument, type VirtualHost } from "./virtual-host.ts";

export const context = { address: "192.0.2.7", userAgent: "test", clientKey: "192.0.2.7", requestId: "r-1" };

/** The hash of a password that no account has. */
const passwordHash = `$argon2id$v=19$m=19456,t=2,p=1$${"A".repeat(22)}$${"A".repeat(43)}`;

/** The rooms that identify users, over real files in virtual time, and one account. */
export async function virtualSignIn(
  host: VirtualHost,
  passwords = createPasswords({ isKnownClient: () => true }),
  issuer: string | null = null,
) {
  const { time, uptime } = host;
  const events: EventFacts[] = [];
  const sink: EventSink = { record: async (facts) => void events.push(facts), refuse: () => undefined };
  const syncs: number[] = [];
  const record = await temporaryDocument(throttleRecordKind);
  const throttle = createTestThrottle({ document: record, bootId: "boot-1", uptime });
  time.observe({ onStep: () => undefined, onTrusted: throttle.clearCodeLocks });
  const tokens = await temporaryDocument(apiTokensKind);
  const apiTokens = createApiTokens({ document: tokens, time, uptime });
  const accounts = createAccounts({
    document: await temporaryDocument(accountsKind),
    passwords,
    checkPassword: async () => undefined,
    lockOf: () => null,
    hasLocks: () => false,
    countTokens: apiTokens.countLiving,
    ...{ hasKey: () => true, isSignedIn: () => false, issuer },
    now: time.now,
  });
  const sessions = createSessions({
    document: await temporaryDocument(sessionsKind),
    bootId: "boot-1",
    uptime,
    limits: () => ({ idleSeconds: 3_600, absoluteSeconds: 86_400 }),
    onReuse: async () => undefined,
    onUnbound: () => undefined,
    onEnd: sessionEvents(sink, (id) => accounts.find(id)?.username).onEnd,
  });
  const common = {
    ...{ time, uptime, accounts, throttle, passwords, sessions, stepUps: createStepUps(uptime) },
    usedCodes: createUsedCodes(await temporaryDocument(usedCodesKind)),
    seal: createSeal([randomBytes(32)]),
  };
  const passkeys = createPasskeys({ ...common, now: time.now });
  const secondFactor = createSecondFactor({
    ...common,
    passkeys,
    events: sink,
    requestSync: () => void syncs.push(uptime()),
  });
  const ownAccount = createOwnAccount({ ...common, secondFactor });
  const policy = { isRequired: false };
  const enrolment = createEnrolment({
    ...common,
    prove: ownAccount.prove,
    secondFactor,
    issuer: () => "Pump house",
    isRequired: () => policy.isRequired,
  });
  const { id } = await accounts.createFirst({ username: "ana" }, { hash: passwordHash });
  const account = (): Account => accounts.find(id) ?? assert.fail("ana is gone");
  return {
    ...{ ...common, apiTokens, tokens, ownAccount, passkeys, secondFactor },
    ...{ enrolment, policy, events, syncs, account },
  };
}

export type VirtualSignIn = Awaited<ReturnType<typeof virtualSignIn>>;

/** Gives the account a factor without a code being spent. */
export async function enrolled({ accounts, seal, account }: VirtualSignIn) {
  // Always the same one: of a random one now and then two time steps near each other have one code.
  const secret = "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP";
  const { codes, hashes } = makeRecoveryCodes();
  const { id } = account();
  await accounts.changeFactor(id, () => ({
    sealed_secret: seal.seal(secret, id),
    enrolled_at: "2026-11-20T12:00:00.000Z",
    recovery_hashes: hashes,
  }));
  const factor = (): StoredFactor => account().two_factor ?? assert.fail("the factor is gone");
  return { secret, recoveryCodes: codes, factor };
}

/** The code that an authenticator shows whose clock is so many seconds ahead of the host's. */
export function codeAt({ time }: VirtualHost, secret: string, aheadSeconds = 0): string {
  return codeOf(secret, time.now().getTime() / 1_000 + aheadSeconds);
}

/** The error's code, or "done". */
export async function codeFrom(work: Promise<unknown>): Promise<string> {
  return (await errorFrom(work))?.code ?? "done";
}

export async function errorFrom(work: Promise<unknown>): Promise<StewardError | undefined> {
  const error: unknown = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error === undefined || error instanceof StewardError) return error;
  throw error;
}

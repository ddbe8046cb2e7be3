import { StewardError } from "../../contract/errors.ts";
import type { Output, Enrolment as SetUp, TwoFactor, User } from "../../contract/types.ts";
import type { Uptime } from "../../host/ports.ts";
import type { RequestContext } from "../request-context.ts";
import type { Sessions } from "../sessions/sessions.ts";
import type { Throttle } from "../throttle/throttle.ts";
import { createTimedTable, type TimedTable } from "../timed-table.ts";
import type { Person } from "../tokens/bearer.ts";
import type { TrustedTime } from "../trusted-time.ts";
import type { Account, StoredFactor } from "../users/account.ts";
import type { Accounts } from "../users/accounts.ts";
import { refuseOfProvider } from "../users/provider-account.ts";
import { readCode } from "./code-texts.ts";
import { passkeyView } from "./passkeys.ts";
import { qrSvg } from "./qr.ts";
import { makeRecoveryCodes } from "./recovery-codes.ts";
import type { Seal } from "./seal.ts";
import type { FullProof, SecondFactor } from "./second-factor.ts";
import { makeSecret, matchSteps, otpauthUri, searchedStepsAround } from "./totp.ts";
import type { UsedCodes } from "./used-codes.ts";

export type Enrolment = ReturnType<typeof createEnrolment>;

interface EnrolmentOptions {
  accounts: Accounts;
  sessions: Sessions;
  throttle: Throttle;
  /** Throws unless the proof is right. */
  prove: (person: Person, proof: FullProof, context: RequestContext) => Promise<unknown>;
  secondFactor: SecondFactor;
  usedCodes: UsedCodes;
  seal: Seal;
  time: TrustedTime;
  uptime: Uptime;
  /** The name of the issuer, as the authenticator shows it. */
  issuer: () => string;
  isRequired: (account: Account) => boolean;
}

type PendingSecrets = TimedTable<readonly string[]>;

export function createEnrolment(options: EnrolmentOptions) {
  const { accounts, sessions } = options;
  // Secrets that users have seen and not enabled yet, by account, the last one first. Sign-in does not ask for them. None is
  // shown a second time: a person who reads along in a session would have the factor of its user.
  const pending: PendingSecrets = createTimedTable({ seconds: pendingSeconds, uptime: options.uptime });
  /** Deletes the rest of a removed factor: the lock of its codes, the used codes, a setup under way. */
  const forget = ({ id, username }: User): void => {
    options.usedCodes.forget(id);
    options.throttle.forgetCodes(username);
    pending.delete(id);
  };
  /** Removes factor and lock, ends all sessions but one. `check` gets the factor. Throws `not_found`, errors of `check`. */
  const remove = async (
    userId: string,
    { exceptSession, check }: { exceptSession?: string; check?: (factor: StoredFactor | null) => void } = {},
  ): Promise<User> => {
    const user = await accounts.changeFactor(userId, (factor) => {
      check?.(factor);
      return null;
    });
    forget(user);
    await sessions.endAll(userId, exceptSession);
    return accounts.asNow(user);
  };
  return {
    ...createSetup(options, pending),
    forget,
    remove,
    status: (userId: string): TwoFactor => {
      const { two_factor, locked } = accounts.get(userId);
      const passkeys = accounts.find(userId)?.two_factor?.passkeys ?? [];
      return { ...two_factor, locked, passkeys: passkeys.map(passkeyView) };
    },
    /** Ends other sessions. Throws `two_factor_required_by_policy`, `two_factor_not_enabled`, the errors of `prove`. */
    disable: async (person: Person, proof: FullProof, context: RequestContext): Promise<User> => {
      if (person.account.two_factor === null) throw notEnabled();
      if (options.isRequired(person.account)) throw requiredByPolicy();
      await options.prove(person, proof, context);
      return remove(person.account.id, { exceptSession: person.session.id });
    },
    /** Makes the old ones invalid. Throws `two_factor_not_enabled`. */
    renewRecoveryCodes: async ({ account }: Person): Promise<string[]> => {
      const { codes, hashes } = makeRecoveryCodes();
      await accounts.changeFactor(account.id, (factor) => {
        if (!factor) throw notEnabled();
        return { ...factor, recovery_hashes: hashes };
      });
      return codes;
    },
  };
}

function createSetup(options: EnrolmentOptions, pending: PendingSecrets) {
  const { accounts, sessions, time, seal } = options;
  return {
    /** Changes nothing until it is enabled. Throws `two_factor_already_enabled` and `second_factor_unavailable`. */
    setUp: async ({ account }: Person): Promise<SetUp> => {
      refuseSetUp(account);
      // Makes a device without a key fail now, and not when the user types the code.
      seal.seal("", account.id);
      const expiresAt = new Date(time.now().getTime() + pendingSeconds * 1_000);
      const secret = await makeSecret();
      pending.put(account.id, [secret, ...(pending.get(account.id) ?? [])].slice(0, mostPending));
      return describe(secret, { account: account.username, issuer: options.issuer() }, expiresAt);
    },
    /**
     * Takes a code of one of the last setups. Returns the recovery codes and the factor, and ends the other sessions.
     * Throws `two_factor_not_pending`, `two_factor_already_enabled`, `clock_not_synchronised` unless `mayTrustClock`,
     * `totp_invalid` and `totp_reused`.
     */
    enable: async (
      { account, session }: Person,
      code: string,
      mayTrustClock: boolean,
      context: RequestContext,
    ): Promise<Output<"enableTwoFactor">> => {
      refuseSetUp(account);
      const secret = await secretOf(pending.get(account.id) ?? [], code, time.nowSeconds());
      if (secret === undefined) throw notPending();
      if (!time.isTrusted() && !mayTrustClock) throw clockInDoubt(time);
      await options.secondFactor.proveNew(account, secret, code, context);
      const { codes, user } = await store(options, account, secret);
      pending.delete(account.id);
      await sessions.endAll(account.id, session.id);
      const { two_factor, locked } = accounts.asNow(user);
      return { recovery_codes: codes, two_factor: { ...two_factor, locked, passkeys: [] } };
    },
  };
}

async function store(
  { accounts, seal, time }: EnrolmentOptions,
  { id }: Account,
  secret: string,
): Promise<{ readonly codes: string[]; readonly user: User }> {
  const { codes, hashes } = makeRecoveryCodes();
  const enrolled_at = time.now().toISOString();
  const enrolled = (present: StoredFactor | null): StoredFactor => {
    refuseSecond(present);
    return { sealed_secret: seal.seal(secret, id), enrolled_at, recovery_hashes: hashes };
  };
  return { codes, user: await accounts.changeFactor(id, enrolled, "owner") };
}

async function describe(
  secret: string,
  names: { account: string; issuer: string },
  expiresAt: Date,
): Promise<SetUp> {
  const uri = await otpauthUri({ ...names, secret });
  return {
    secret,
    otpauth_uri: uri,
    qr_svg: await qrSvg(uri),
    algorithm: "SHA1",
    digits: 6,
    period: 30,
    expires_at: expiresAt.toISOString(),
  };
}

function refuseSetUp(account: Account): void {
  refuseOfProvider(account);
  refuseSecond(account.two_factor);
}

function refuseSecond(factor: StoredFactor | null): void {
  if (factor === null) return;
  throw new StewardError(
    "two_factor_already_enabled",
    "This user has a second factor already. Disable it first to set up another authenticator.",
  );
}

function notPending(): StewardError {
  return new StewardError(
    "two_factor_not_pending",
    "There is no setup to finish: none was begun, it is older than ten minutes, or the agent was restarted. Begin again with …/2fa/setup.",
  );
}

function notEnabled(): StewardError {
  return new StewardError("two_factor_not_enabled", "This user has no second factor. Nothing was changed.");
}

function requiredByPolicy(): StewardError {
  return new StewardError(
    "two_factor_required_by_policy",
    "This device requires a second factor (security.require_2fa), so it cannot be disabled. To change the authenticator, recover with a recovery code and enrol again.",
  );
}

function clockInDoubt(time: TrustedTime): StewardError {
  return new StewardError(
    "clock_not_synchronised",
    "Codes depend on the clock, and the device's clock is not trusted: with a wrong clock you could not sign in later. Compare `clock.server_time` with your watch; synchronise the clock, or repeat with `allow_unsynchronised_clock: true`.",
    { details: { clock: time.describe({ isProven: true }) } },
  );
}

/** Seconds between showing a secret and its first code. */
const pendingSeconds = 10 * 60;

/** Secrets of one account that may be pending: a page that is open twice, or was loaded again, has shown several. */
const mostPending = 4;

/** The secret that the code is of, at some time near; otherwise the one that was shown last. Undefined: there is none. */
async function secretOf(secrets: readonly string[], text: string, nowSeconds: number) {
  const code = readCode(text) ?? "";
  for (const secret of secrets)
    if ((await matchSteps(secret, code, nowSeconds, searchedStepsAround)).length > 0) return secret;
  return secrets[0];
}

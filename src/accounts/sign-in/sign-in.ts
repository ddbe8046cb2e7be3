import { StewardError } from "../../contract/errors.ts";
import { asUsername } from "../../contract/text/names.ts";
import type { Session } from "../../contract/types.ts";
import type { RequestContext } from "../request-context.ts";
import type { FactorMethod, FactorProof, SecondFactor } from "../second-factor/second-factor.ts";
import type { RefreshProof } from "../sessions/refresh-exchange.ts";
import type { StepUps } from "../sessions/step-up.ts";
import type { Throttle } from "../throttle/throttle.ts";
import { withThrottle } from "../throttle/with-throttle.ts";
import type { Account } from "../users/account.ts";
import type { Passwords } from "../users/passwords.ts";
import type { Challenge, Challenges } from "./challenges.ts";
import { respondWithSession, type SessionResponseOptions } from "./session-answer.ts";

export type SignIn = ReturnType<typeof createSignIn>;

export interface Credentials extends FactorProof {
  username: string;
  password: string;
}

export interface SignedIn {
  session: Session;
  method: "password" | FactorMethod | "provider";
  /** The user has not signed in from this address in the last 30 days. Absent: a provider judges that, not this device. */
  isNewAddress?: boolean;
}

interface SignInOptions extends SessionResponseOptions {
  passwords: Passwords;
  throttle: Throttle;
  challenges: Challenges;
  secondFactor: SecondFactor;
  stepUps: StepUps;
}

export function createSignIn(options: SignInOptions) {
  const { accounts, sessions, throttle } = options;
  return {
    /**
     * Throws `invalid_credentials`; `totp_required` with a challenge token if the password was right and a code is
     * needed; the errors of a wrong code, `too_many_attempts` and `hashing_busy`.
     */
    login: (credentials: Credentials, context: RequestContext): Promise<SignedIn> => {
      const username = asUsername(credentials.username);
      const tried = { name: username, exists: accounts.findByName(username) !== undefined };
      return withThrottle(throttle, tried, context, (resolved) =>
        login(options, { ...credentials, username }, resolved),
      );
    },
    /** The account whose password was right; undefined for a challenge that has ended. */
    challenged: (token: string): Account | undefined => challenged(options, token)?.account,
    /** Throws `challenge_invalid`, the errors of a wrong code, `too_many_attempts`. */
    answerChallenge: (token: string, proof: FactorProof, context: RequestContext): Promise<SignedIn> =>
      answerChallenge(options, token, proof, context),
    /** Binds a session whose refresh token goes into a cookie; returns the value that must come with it. */
    bind: sessions.bind,
    /** Throws `invalid_token`. */
    refresh: async (proof: RefreshProof, context: RequestContext): Promise<Session> => {
      const opened = await sessions.refresh(proof, context);
      const account = accounts.find(opened.session.user_id);
      if (account?.enabled) return respondWithSession(options, opened, account);
      await sessions.endBecause(opened.session.user_id, "user_disabled");
      throw new StewardError("invalid_token", "The user may no longer sign in.", {
        details: { reason: "revoked" },
      });
    },
    /** Returns the session that has ended; undefined for an unknown token. Throws `invalid_token`: reason `binding`. */
    logout: sessions.close,
  };
}

async function login(
  options: SignInOptions,
  credentials: Credentials,
  context: RequestContext,
): Promise<SignedIn> {
  const { accounts, passwords, challenges } = options;
  const { username, password } = credentials;
  const tried = accounts.findByName(username)?.password_hash ?? null;
  const isRight = await passwords.verify(tried, password, context.clientKey);
  if (!isRight || !tried) throw refusal();
  const rehashed = passwords.needsRehash(tried)
    ? await passwords.hash(password, context.clientKey)
    : undefined;
  // Looked up again: the account may have changed, been spent or been removed while the password was being checked.
  const account = accountForLogin(accounts.findByName(username), tried);
  if (!account) throw refusal();
  const { two_factor } = account;
  if (!two_factor) return open(options, account, { rehashed, method: "password" }, context);
  if (credentials.code === undefined && credentials.recovery_code === undefined) {
    const challenge = { account, context, passwordHash: tried, rehashed };
    throw options.secondFactor.missing(
      account,
      context,
      "The password is right, and this user also signs in with a code. Send it with this challenge to POST /api/auth/totp.",
      challenges.open(challenge),
    );
  }
  const method = await options.secondFactor.prove(account, two_factor, credentials, context);
  challenges.close({ account, context });
  return open(options, account, { rehashed, method }, context);
}

async function answerChallenge(
  options: SignInOptions,
  token: string,
  proof: FactorProof,
  context: RequestContext,
): Promise<SignedIn> {
  const { challenges, throttle } = options;
  const { challenge, account } = challenged(options, token) ?? {};
  if (!challenge || !account?.two_factor) throw staleChallenge();
  const { two_factor } = account;
  return withThrottle(throttle, { name: account.username, isProven: true }, context, async (resolved) => {
    const method = await provenBy(options, token, () =>
      options.secondFactor.prove(account, two_factor, proof, resolved),
    );
    // The user may have been disabled while the code was being checked, or another answer to it was right.
    const again = challenged(options, token)?.account;
    if (!again) throw staleChallenge();
    challenges.close(challenge, token);
    return open(options, again, { rehashed: challenge.rehashed, method }, resolved);
  });
}

function challenged({ challenges, accounts }: SignInOptions, token: string) {
  const challenge = challenges.find(token);
  if (!challenge) return undefined;
  return { challenge, account: accountForLogin(accounts.find(challenge.account.id), challenge.passwordHash) };
}

/** Counts a wrong code against its challenge. */
async function provenBy(
  { challenges }: SignInOptions,
  token: string,
  prove: () => Promise<FactorMethod>,
): Promise<FactorMethod> {
  try {
    return await prove();
  } catch (error) {
    if (error instanceof StewardError && error.status === 401 && error.code !== "totp_required") {
      challenges.failed(token);
    }
    throw error;
  }
}

/** The account, if its owner may enter with the password that matched this hash. */
function accountForLogin(account: Account | undefined, hash: string): Account | undefined {
  const mayEnter = account?.enabled && account.password_hash === hash && account.password_state !== "spent";
  // Accounts of the provider have no password here, even if one was put into the state.
  return mayEnter && account.provider === null ? account : undefined;
}

function open(
  options: SignInOptions,
  account: Account,
  { rehashed, method }: Pick<SignedIn, "method"> & Pick<Challenge, "rehashed">,
  context: RequestContext,
): SignedIn {
  const { accounts, sessions, stepUps, requiredAction, throttle } = options;
  const { clientKey } = context;
  // Before the throttle learns of this success.
  const isNewAddress = clientKey !== null && !throttle.isKnownTo(account.username, clientKey);
  const opened = sessions.open(account.id, context);
  accounts.signedIn(account.id, rehashed);
  const present = accounts.find(account.id) ?? account;
  // RFC 9470 §4: a sign-in meets `max_age` if it took all that a step-up takes. A recovery code opens one session and no
  // more. A one-use password has been in others' hands. A sign-in without the factor that the device asks for is only half.
  if (method !== "recovery_code" && requiredAction(present) === null) stepUps.grant(opened.session.id);
  return { session: respondWithSession(options, opened, present), method, isNewAddress };
}

/** One answer for every reason, so that a stranger does not learn which names exist. */
function refusal(): StewardError {
  return new StewardError(
    "invalid_credentials",
    "The user name or the password is wrong, or the user may not sign in. A one-use password works once.",
  );
}

function staleChallenge(): StewardError {
  return new StewardError(
    "challenge_invalid",
    "This sign-in took too long or had too many wrong codes. Begin again with user name and password.",
  );
}

import { randomBytes } from "node:crypto";
import { isIP } from "node:net";
import { rethrown, StewardError } from "../../contract/errors.ts";
import type {
  NewPasskey,
  Passkey,
  PasskeyCreation,
  PasskeyProof,
  PasskeyRequest,
} from "../../contract/types.ts";
import type { Uptime } from "../../host/ports.ts";
import type { RequestContext } from "../request-context.ts";
import type { Account, StoredFactor, StoredPasskey } from "../users/account.ts";
import type { Accounts } from "../users/accounts.ts";
import { createPasskeyChallenges, type PasskeyChallenges, passkeySeconds } from "./passkey-challenges.ts";
import { passkeyAlgorithms, verifyCreation, verifyUse } from "./webauthn.ts";

/** Passkeys beside the codes. Each works under one host name of the device; its user keeps the codes for all others. */
export type Passkeys = ReturnType<typeof createPasskeys>;

interface PasskeysOptions {
  readonly accounts: Accounts;
  readonly uptime: Uptime;
  readonly now: () => Date;
}

/** Passkeys of one user. */
const mostPasskeys = 10;

export function passkeyView({ id, name, host, created_at, last_used_at }: StoredPasskey): Passkey {
  return { id, name, host, created_at, last_used_at };
}

/** With it a browser asks for the authenticator that has the passkey, and for no other. */
function descriptorOf({ credential_id: id, transports }: StoredPasskey) {
  return { id, ...(transports && { transports: [...transports] }) };
}

export function createPasskeys(options: PasskeysOptions) {
  const { accounts } = options;
  const challenges = createPasskeyChallenges(options.uptime);
  return {
    /** The request of a page to a passkey; undefined: the account has none for the host of this page. */
    ask: ({ id, two_factor }: Account, context: RequestContext): PasskeyRequest | undefined => {
      const page = pageOf(context);
      const known = two_factor?.passkeys?.filter(({ host }) => host === page?.host) ?? [];
      if (!page || known.length === 0) return undefined;
      return { challenge: challenges.open(id, "use"), host: page.host, credentials: known.map(descriptorOf) };
    },
    /** Throws `passkey_invalid`. */
    prove: (
      account: Account,
      factor: StoredFactor,
      proof: PasskeyProof,
      context: RequestContext,
    ): Promise<void> => prove(options, challenges, { account, factor, proof }, context),
    /** Throws `two_factor_not_enabled` and `passkey_not_possible`. */
    begin: ({ id, two_factor }: Account, context: RequestContext): PasskeyCreation => {
      const { host } = requirePage(context);
      const { passkeys } = requireRoom(two_factor);
      return {
        ...{ challenge: challenges.open(id, "creation"), host, algorithms: [...passkeyAlgorithms] },
        known: passkeys.map(descriptorOf),
        expires_in: passkeySeconds,
      };
    },
    /** Throws `two_factor_not_enabled`, `passkey_not_possible` and `passkey_invalid`. */
    add: (account: Account, given: NewPasskey, context: RequestContext): Promise<Passkey> =>
      add(options, challenges, { account, given }, context),
    /** Throws `not_found`, and `last_admin` where it is the last way in of the last administrator. */
    remove: async ({ id: userId }: Account, id: string): Promise<Passkey> => {
      let removed: StoredPasskey | undefined;
      await accounts.changeFactor(userId, (factor) => {
        removed = factor?.passkeys?.find((one) => one.id === id);
        return factor && { ...factor, passkeys: factor.passkeys?.filter((one) => one !== removed) ?? [] };
      });
      if (!removed) throw new StewardError("not_found", "You have no passkey with this id.");
      return passkeyView(removed);
    },
  };
}

async function prove(
  { accounts, now }: PasskeysOptions,
  challenges: PasskeyChallenges,
  { account, factor, proof }: { account: Account; factor: StoredFactor; proof: PasskeyProof },
  context: RequestContext,
): Promise<void> {
  const page = pageOf(context);
  const challenge = challenges.take(account.id, "use", proof.client_data);
  const present = factor.passkeys?.find(
    ({ credential_id, host }) => credential_id === proof.id && host === page?.host,
  );
  if (!page || challenge === undefined || !present) throw refused();
  const signCount = await verifyUse(proof, { ...page, challenge }, present).catch(rethrown(refused));
  if (!accounts.passkeyUsed(account.id, { passkey: present.id, at: now(), signCount })) throw refused();
}

async function add(
  { accounts, now }: PasskeysOptions,
  challenges: PasskeyChallenges,
  { account, given }: { account: Account; given: NewPasskey },
  context: RequestContext,
): Promise<Passkey> {
  const page = requirePage(context);
  requireRoom(account.two_factor);
  const challenge = challenges.take(account.id, "creation", given.client_data);
  if (challenge === undefined) throw refused();
  const credential = await verifyCreation(given, { ...page, challenge }).catch(rethrown(refused));
  const passkey: StoredPasskey = {
    ...{ id: `psk_${randomBytes(16).toString("hex")}`, name: given.name, host: page.host, ...credential },
    ...(given.transports?.length && { transports: given.transports }),
    ...{ created_at: now().toISOString(), last_used_at: null },
  };
  await accounts.changeFactor(account.id, (factor) => {
    const present = requireRoom(factor);
    const isKnown = present.passkeys.some(({ credential_id }) => credential_id === passkey.credential_id);
    if (isKnown) throw refused();
    return { ...present, passkeys: [...present.passkeys, passkey] };
  });
  return passkeyView(passkey);
}

/** The page's origin and host; undefined where browsers have no passkeys: see docs/sign-in.md. */
function pageOf({ pageOrigin }: RequestContext): { origin: string; host: string } | undefined {
  if (pageOrigin === undefined) return undefined;
  const { protocol, hostname: host } = new URL(pageOrigin);
  const isSecure = protocol === "https:" || host === "localhost";
  return isSecure && !host.startsWith("[") && isIP(host) === 0 ? { origin: pageOrigin, host } : undefined;
}

function requirePage(context: RequestContext): { origin: string; host: string } {
  const page = pageOf(context);
  if (page) return page;
  throw new StewardError(
    "passkey_not_possible",
    "A passkey belongs to a host name, and browsers make one over HTTPS only. Open the device by its name, such as https://NAME.local:8443, not by an address.",
  );
}

/** The factor and its passkeys, where there is room for one more. */
function requireRoom(factor: StoredFactor | null): StoredFactor & Required<Pick<StoredFactor, "passkeys">> {
  if (factor === null) {
    throw new StewardError(
      "two_factor_not_enabled",
      "This user has no second factor. Set up codes first: they work where a passkey does not.",
    );
  }
  const { passkeys = [] } = factor;
  if (passkeys.length < mostPasskeys) return { ...factor, passkeys };
  throw new StewardError(
    "passkey_not_possible",
    `This user has ${mostPasskeys} passkeys, which is the most. Remove one first. Nothing was changed.`,
  );
}

function refused(cause?: unknown): StewardError {
  return new StewardError(
    "passkey_invalid",
    "The passkey's answer does not fit: it is not one of this user under this name of the device, its challenge was used or is older than five minutes, or its counter has gone back. Begin again, or use a code.",
    { cause },
  );
}

import type { RequiredAction } from "../../accounts/sessions/required-action.ts";
import type { StoredApiToken } from "../../accounts/tokens/api-token.ts";
import { type MadeToken, unknownToken } from "../../accounts/tokens/api-tokens.ts";
import { noEnd, type RightsFault, rightsFaults } from "../../accounts/tokens/token-rights.ts";
import type { Account } from "../../accounts/users/account.ts";
import { durationSeconds } from "../../contract/durations.ts";
import { StewardError } from "../../contract/errors.ts";
import type { tokenOperations } from "../../contract/operations/tokens.ts";
import { longestOverlapSeconds, tokenLifeSeconds } from "../../contract/schemas/tokens.ts";
import { fleetScopes, scopeNames } from "../../contract/scopes.ts";
import type { ApiToken } from "../../contract/types.ts";
import { pageOf } from "../../store/documents/pages.ts";
import { requireStepUp } from "../authorise.ts";
import { type Actor, type Call, type HandlersOf, personOf, programOf, roleOf } from "../call.ts";
import type { AccountRooms } from "./account-rooms.ts";

/** `pages`: the names of the product's. */
type TokenRooms = AccountRooms & { readonly pages: readonly string[] };

export function createTokenHandlers(options: TokenRooms): HandlersOf<typeof tokenOperations> {
  const { accounts, apiTokens } = options;
  const describe = (token: StoredApiToken): ApiToken => ({
    id: token.id,
    name: token.name,
    user_id: token.user_id,
    username: accounts.get(token.user_id).username,
    scopes: token.scopes.filter((scope) => scopeNames.includes(scope)),
    created_at: token.created_at,
    expires_at: token.expires_at,
    is_expired: apiTokens.isExpired(token),
    last_used_at: token.last_used_at,
    last_used_from: token.last_used_from,
    is_fleet: token.is_fleet,
    sources: [...token.sources],
    no_expiry: token.expires_at === noEnd,
    is_suspended: token.suspended,
    ...(token.pages && { pages: [...token.pages] }),
  });
  const shown = ({ token, text }: MadeToken) => ({ ...describe(token), token: text });
  return {
    listTokens: ({ query, actor }) => {
      const own = actor.kind === "user" ? actor.account.id : undefined;
      const isAdmin = roleOf(actor) === "admin";
      if (query?.user_id !== undefined && query.user_id !== own && !isAdmin) throw foreign();
      const tokens = apiTokens.list(query?.user_id ?? (isAdmin ? undefined : own));
      // A user who is being deleted is gone before their tokens are.
      const owned = tokens.filter(({ user_id }) => accounts.find(user_id) !== undefined);
      const page = pageOf(owned, {
        list: "tokens",
        keyOf: ({ created_at, id }) => [created_at, id],
        limit: query?.limit ?? 200,
        cursor: query?.cursor,
      });
      return { ...page, items: page.items.map(describe) };
    },
    createToken: async (call) => shown(await createToken(options, call)),
    rotateToken: async (call) => shown(await rotateToken(options, call)),
    rotateOwnToken: async (call) => shown(await rotateOwnToken(options, call)),
    resumeToken: async (call) => describe(await resumeToken(options, call)),
    deleteToken: (call) => deleteToken(options, call),
  };
}

async function createToken(
  options: TokenRooms,
  { body, actor, note }: Call<"createToken">,
): Promise<MadeToken> {
  const { name, scopes, expires_in = "90d", user_id, is_fleet: isFleet = false, sources = [], pages } = body;
  const hasNoEnd = body.no_expiry ?? false;
  refuseRootsOwn(actor, body);
  const lifetimeSeconds = secondsOf("expires_in", expires_in, { ...tokenLifeSeconds, words: "1h to 366d" });
  const owner = ownerOf(options, actor, user_id);
  refuseOfProvider(owner);
  refuseRights(rightsFaults({ scopes, sources, is_fleet: isFleet, pages }, owner, hasNoEnd, options.pages));
  const wanted = { name, scopes, lifetimeSeconds, sources, isFleet, hasNoEnd, pages };
  const made = await options.apiTokens.create(owner, wanted);
  const details = {
    ...{ scopes, owner: owner.username },
    ...(isFleet && { is_fleet: true }),
    ...(sources.length > 0 && { sources }),
    ...(pages && { pages }),
    ...(!hasNoEnd && { ends_at: made.token.expires_at }),
  };
  note({ subject: { id: made.token.id, name }, details });
  return made;
}

async function rotateToken(
  { accounts, apiTokens }: AccountRooms,
  { params, body, note }: Call<"rotateToken">,
): Promise<MadeToken> {
  const { overlap = "24h" } = body;
  const seconds = overlapOf(overlap);
  const former = apiTokens.byId(params.id);
  const owner = former && accounts.find(former.user_id);
  if (!former || !owner) throw unknownToken();
  const made = await apiTokens.rotate(owner, former, seconds);
  const subject = { id: made.token.id, name: made.token.name };
  note({ subject, details: { owner: owner.username, overlap } });
  return made;
}

async function resumeToken(
  { accounts, apiTokens }: AccountRooms,
  { params, note }: Call<"resumeToken">,
): Promise<StoredApiToken> {
  const former = apiTokens.byId(params.id);
  if (!former) throw unknownToken();
  const owner = accounts.get(former.user_id).username;
  const token = await apiTokens.resume(former.id);
  const subject = { id: token.id, name: token.name };
  note({ subject, details: { owner }, isUnchanged: !former.suspended });
  return token;
}

async function rotateOwnToken(
  { apiTokens }: AccountRooms,
  { actor, body, note }: Call<"rotateOwnToken">,
): Promise<MadeToken> {
  const { token: former, account } = programOf(actor);
  const { overlap = "24h" } = body;
  const made = await apiTokens.rotateOwn(account, former, overlapOf(overlap));
  const subject = { id: made.token.id, name: made.token.name };
  note({ subject, details: { owner: account.username, overlap } });
  return made;
}

async function deleteToken(
  { apiTokens }: AccountRooms,
  { params, actor, note }: Call<"deleteToken">,
): Promise<undefined> {
  const token = apiTokens.byId(params.id);
  const isOwn = actor.kind === "user" && token?.user_id === actor.account.id;
  // Only its owner and administrators may learn if a token exists.
  if (!token || (!isOwn && roleOf(actor) !== "admin")) throw unknownToken();
  if (!isOwn) requireStepUp(actor);
  await apiTokens.remove(({ id }) => id === token.id);
  note({ subject: { id: token.id, name: token.name } });
}

/** Refuses rights that would outlast an administrator's stolen session. Throws `forbidden`. */
function refuseRootsOwn(
  actor: Actor,
  { is_fleet, sources, no_expiry, scopes }: Call<"createToken">["body"],
): void {
  const isOfFleets = scopes.some((scope) => (fleetScopes as readonly string[]).includes(scope));
  if (actor.kind === "local-root" || !(is_fleet || sources || no_expiry || isOfFleets)) return;
  throw new StewardError(
    "forbidden",
    "Only root on the device may make tokens for fleets, with source ranges or without an end: `steward token add --fleet --from RANGE`, or `steward apply`. Nothing was created.",
  );
}

function refuseRights(faults: readonly RightsFault[]): void {
  const [first] = faults;
  if (first === undefined) return;
  const errors = faults.map(({ member, detail }) => ({ pointer: `/${member}`, code: "not_allowed", detail }));
  throw new StewardError(
    "validation_failed",
    `Member /${first.member} ${first.detail}. Nothing was created.`,
    { details: { errors } },
  );
}

/**
 * The owner of a new token: the caller, or the user that local root names, without their password or code. Throws
 * `forbidden`, `validation_failed`, `not_found`, and the code of an action required of the owner.
 */
function ownerOf(
  { accounts, requiredAction }: AccountRooms,
  actor: Actor,
  userId: string | undefined,
): Account {
  if (actor.kind !== "local-root") {
    const { account } = personOf(actor);
    if (userId === undefined || userId === account.id) return account;
    throw new StewardError(
      "forbidden",
      "Only root on the device may create API tokens for other users: `steward token add --user NAME`. Nothing was created.",
    );
  }
  if (userId === undefined) {
    throw new StewardError(
      "validation_failed",
      "Root has no API tokens: name the owner with user_id. Nothing was created.",
    );
  }
  const owner = accounts.find(userId);
  if (!owner) throw new StewardError("not_found", "There is no user with this id. Nothing was created.");
  refuseUnready(owner, requiredAction(owner));
  return owner;
}

/** A token would outlive its owner's removal at the provider, which this device notices only at a sign-in. */
function refuseOfProvider({ username, provider }: Account): void {
  if (provider === null) return;
  throw new StewardError(
    "account_of_provider",
    `${username} signs in at ${provider.issuer} and can have no API tokens here. Make them for a user of this device. Nothing was created.`,
  );
}

/** A token of this user would be refused: the error comes before a program has it. */
function refuseUnready({ username }: Account, requiredAction: RequiredAction): void {
  if (requiredAction === "password_change") {
    throw new StewardError(
      "password_change_required",
      `${username} has a one-use password: their API tokens are refused until they have chosen their own. For a user that only programs use, set one: \`steward user passwd ${username}\`. Nothing was created.`,
    );
  }
  if (requiredAction === "two_factor_enrolment") {
    throw new StewardError(
      "two_factor_enrolment_required",
      `This device requires two-factor sign-in (security.require_2fa): the API tokens of ${username} are refused until they have enrolled: \`steward user 2fa setup ${username}\`. Nothing was created.`,
    );
  }
}

/** Throws `validation_failed` for a duration outside of the seconds that its member may have; `words` say them. */
function secondsOf(
  member: string,
  duration: string,
  { shortest, longest, words }: { shortest: number; longest: number; words: string },
): number {
  const seconds = durationSeconds(duration);
  if (seconds >= shortest && seconds <= longest) return seconds;
  const detail = `must be ${words}`;
  throw new StewardError("validation_failed", `Member /${member} ${detail}. Nothing was created.`, {
    details: { errors: [{ pointer: `/${member}`, code: "out_of_range", detail }] },
  });
}

function overlapOf(duration: string): number {
  return secondsOf("overlap", duration, { shortest: 0, longest: longestOverlapSeconds, words: "0s to 30d" });
}

function foreign(): StewardError {
  return new StewardError(
    "forbidden",
    "Only administrators may see or revoke the API tokens of other users.",
  );
}

import { StewardError } from "../../contract/errors.ts";
import type { Scope } from "../../contract/scopes.ts";
import type { Uptime } from "../../host/ports.ts";
import type { Document } from "../../store/documents/document.ts";
import { createLookUp } from "../../store/documents/look-up.ts";
import { hashOfToken } from "../sessions/refresh-token.ts";
import type { TrustedTime } from "../trusted-time.ts";
import type { Account } from "../users/account.ts";
import { type ApiTokensState, newTokenId, newTokenText, resumed, type StoredApiToken } from "./api-token.ts";
import { createLivingTokens, isOver } from "./token-ends.ts";
import { foreignScopes, noEnd } from "./token-rights.ts";

/** Tokens for programs: they have scopes and an end, are stored as hashes, and never permit a change of credentials. */
export type ApiTokens = ReturnType<typeof createApiTokens>;

/** The result for a user's tokens, as answers and events give it; expired ones are not counted. */
export interface EndedTokens {
  readonly tokens_ended: number;
  /** Absent: none were to be kept. */
  readonly tokens_kept?: number;
}

export interface MadeToken {
  readonly token: StoredApiToken;
  readonly text: string;
}

export interface WantedToken {
  name: string;
  scopes: readonly Scope[];
  lifetimeSeconds: number;
  /** Absent: all pages of the product. */
  pages?: readonly string[] | undefined;
  /** Further rights that only root gives. */
  sources?: readonly string[];
  isFleet?: boolean;
  hasNoEnd?: boolean;
}

interface ApiTokensOptions {
  document: Document<ApiTokensState>;
  time: TrustedTime;
  uptime: Uptime;
}

export const tokensPerUser = 50;

/** Seconds between two notes of a token's use, which is not worth more writes. */
const useNoteSeconds = 15 * 60;

export function createApiTokens(options: ApiTokensOptions) {
  const { document, time } = options;
  const all = () => document.read().tokens;
  const byHash = createLookUp(all, ({ hash }) => hash);
  const ends = createLivingTokens(all, time);
  /** Makes tokens invalid at once in memory, even if the disk cannot be written. */
  const remove = async (isMeant: (token: StoredApiToken) => boolean): Promise<void> => {
    if (!all().some(isMeant)) return;
    document.note((state) => ({ ...state, tokens: state.tokens.filter((token) => !isMeant(token)) }), 0);
    await document.save();
  };
  return {
    ...ends,
    ...createUses(options),
    ...createRotations(options),
    byId: createLookUp(all, ({ id }) => id),
    /** The token of this text, which may be suspended. */
    find: (text: string): StoredApiToken | undefined => byHash(hashOfToken(text)),
    /** In the order of their creation; of one user, or of all. */
    list: (userId?: string): readonly StoredApiToken[] =>
      userId === undefined ? all() : all().filter((token) => token.user_id === userId),
    /**
     * `text` is the only copy of the token itself. Throws `forbidden` for a scope that the owner's role does not permit.
     */
    create: async (owner: Account, wanted: WantedToken): Promise<MadeToken> => {
      const text = newTokenText();
      return { token: await add(options, owner, { ...wanted, hash: hashOfToken(text) }), text };
    },
    /** Makes the token whose hash a provisioned device brings. Throws the errors of `create`. */
    provision: (owner: Account, wanted: WantedToken, hash: string): Promise<StoredApiToken> =>
      add(options, owner, { ...wanted, hash }, { provisioned: hash }),
    /** True if `provision` has made the token of this hash, which may have been deleted since; null: if it has made none. */
    isProvisioned: (hash: string | null): boolean => document.read().provisioned === hash,
    /** Makes a suspended token valid again. Throws `not_found`, `storage_full` and `storage_unwritable`. */
    resume: (id: string): Promise<StoredApiToken> => resume(options, id),
    isExpired: (token: StoredApiToken): boolean => isExpired(options, token),
    remove,
    /** Ends all tokens of a user as `remove` does, if the account is taken back from an intruder; or keeps them all. */
    endAll: async (userId: string, areKept: boolean = false): Promise<EndedTokens> => {
      const living = ends.countLiving()(userId);
      if (areKept) return { tokens_ended: 0, tokens_kept: living };
      await remove(({ user_id }) => user_id === userId);
      return { tokens_ended: living };
    },
    /** While the clock is trusted: dates the tokens that were made before it was, and marks those that have expired. */
    sweep: (): void => {
      if (time.isTrusted()) document.note((state) => swept(state, time.expiryNow()), 0);
    },
  };
}
function createUses({ document, time, uptime }: ApiTokensOptions) {
  const usedAt = new Map<string, number>();
  const notedAt = new Map<string, number>();
  return {
    /** Seconds of monotonic time since the token was last accepted; infinity if it was not since the start. */
    secondsSinceUse: ({ id }: StoredApiToken): number =>
      uptime() - (usedAt.get(id) ?? Number.NEGATIVE_INFINITY),
    /** Notes a use; written at most every quarter of an hour. */
    used: ({ id }: StoredApiToken, from: string): void => {
      usedAt.set(id, uptime());
      if (uptime() - (notedAt.get(id) ?? Number.NEGATIVE_INFINITY) < useNoteSeconds) return;
      notedAt.set(id, uptime());
      const use = { last_used_at: time.now().toISOString(), last_used_from: from };
      document.note((state) => changed(state, id, use), useNoteSeconds);
    },
  };
}

async function add(
  { document, time }: ApiTokensOptions,
  owner: Account,
  {
    name,
    scopes,
    lifetimeSeconds,
    hash,
    pages,
    sources = [],
    isFleet = false,
    hasNoEnd = false,
  }: WantedToken & { hash: string },
  besides: Partial<ApiTokensState> = {},
): Promise<StoredApiToken> {
  refuseForeignScopes(owner, scopes);
  const begin = time.now();
  const token: StoredApiToken = {
    id: newTokenId(),
    user_id: owner.id,
    name,
    ...{ scopes, sources, is_fleet: isFleet, ...(pages && { pages }) },
    hash,
    created_at: begin.toISOString(),
    lifetime_seconds: lifetimeSeconds,
    expires_at: hasNoEnd ? noEnd : new Date(begin.getTime() + lifetimeSeconds * 1_000).toISOString(),
    is_dated: hasNoEnd || time.isTrusted(),
    is_dead: false,
    last_used_at: null,
    last_used_from: null,
    suspended: false,
  };
  await document.update((state) => {
    refuseSurplus(state.tokens, owner);
    return { ...state, ...besides, tokens: [...state.tokens, token] };
  });
  return token;
}

async function rotate(
  { document, time }: ApiTokensOptions,
  owner: Account,
  { id }: StoredApiToken,
  overlapSeconds: number,
  successorOf: typeof unusedSuccessor = () => undefined,
): Promise<MadeToken> {
  const text = newTokenText();
  const begin = time.now();
  const rest = { seconds: overlapSeconds, expiryNow: time.expiryNow(), isClockTrusted: time.isTrusted() };
  const fresh = { id: newTokenId(), hash: hashOfToken(text), created_at: begin.toISOString(), replaces: id };
  const unused = { is_dead: false, last_used_at: null, last_used_from: null };
  const lasting = (former: StoredApiToken) =>
    former.expires_at === noEnd
      ? {}
      : { expires_at: after(begin, former.lifetime_seconds), is_dated: time.isTrusted() };
  const state = await document.update((present) => {
    const former = present.tokens.find((one) => one.id === id);
    if (!former) throw unknownToken();
    const successor = successorOf(present.tokens, former);
    const others = present.tokens.filter((one) => one !== successor);
    if (overlapSeconds > 0) refuseSurplus(others, owner);
    // A token that has been rotated ends soon: the lifetime is that of its successor.
    const model = successor ?? former;
    const next: StoredApiToken = { ...resumed(model), ...fresh, ...unused, ...lasting(model) };
    const kept = others.flatMap((one) => {
      if (one.id !== id) return [one];
      return overlapSeconds > 0 ? [ending(one, begin, rest)] : [];
    });
    return { ...present, tokens: [...kept, next] };
  });
  const token = state.tokens.find((one) => one.id === fresh.id);
  if (!token) throw unknownToken();
  return { token, text };
}

async function resume({ document }: ApiTokensOptions, id: string): Promise<StoredApiToken> {
  const state = await document.update((present) => ({
    ...present,
    tokens: present.tokens.map((one) => (one.id === id ? resumed(one) : one)),
  }));
  const token = state.tokens.find((one) => one.id === id);
  if (!token) throw unknownToken();
  return token;
}

export function unknownToken(): StewardError {
  return new StewardError(
    "not_found",
    "There is no API token with this id. Those there are: `steward token list`.",
  );
}

function createRotations(options: ApiTokensOptions) {
  return {
    /**
     * Makes another token with the same rights and lifetime, and ends the former one after so many seconds, or earlier if
     * it would have ended before. Throws `not_found` and `token_limit_reached`.
     */
    rotate: (owner: Account, token: StoredApiToken, overlapSeconds: number): Promise<MadeToken> =>
      rotate(options, owner, token, overlapSeconds),
    /**
     * The same for a program with this token. While its successor has not been used, another one replaces that, since the
     * answer may have been lost; afterwards it throws `forbidden`: two programs go by the same token.
     */
    rotateOwn: (owner: Account, token: StoredApiToken, overlapSeconds: number): Promise<MadeToken> =>
      rotate(options, owner, token, overlapSeconds, unusedSuccessor),
  };
}

/** The token that a new one takes the place of. Throws `forbidden` for a successor that has been used. */
function unusedSuccessor(
  tokens: readonly StoredApiToken[],
  { id }: StoredApiToken,
): StoredApiToken | undefined {
  const successor = tokens.find(({ replaces }) => replaces === id);
  if (successor === undefined || successor.last_used_at === null) return successor;
  throw new StewardError(
    "forbidden",
    `This API token was rotated before, and its successor ${successor.id} has been used since ${successor.last_used_at}. If that was not this program, another has the token: delete both (\`steward token rm\`), and make a new one. Nothing was changed.`,
  );
}

/** The end of a replaced token, never after its own. While the clock is not trusted, its rest begins with the trust. */
function ending(
  token: StoredApiToken,
  begin: Date,
  rest: { readonly seconds: number; readonly expiryNow: Date; readonly isClockTrusted: boolean },
): StoredApiToken {
  const { seconds, expiryNow, isClockTrusted } = rest;
  const { is_dead, is_dated, lifetime_seconds, expires_at } = token;
  const left = is_dated ? (Date.parse(expires_at) - expiryNow.getTime()) / 1_000 : lifetime_seconds;
  if (is_dead || left <= seconds) return token;
  return {
    ...{ ...token, expires_at: after(begin, seconds) },
    ...{ lifetime_seconds: seconds, is_dated: isClockTrusted },
  };
}

function after(begin: Date, seconds: number): string {
  return new Date(begin.getTime() + seconds * 1_000).toISOString();
}

function refuseForeignScopes({ username, role }: Account, scopes: readonly Scope[]): void {
  const foreign = foreignScopes(scopes, role);
  if (foreign.length === 0) return;
  throw new StewardError(
    "forbidden",
    `The role "${role}" of ${username} does not permit ${foreign.join(", ")}, so their tokens cannot have it either. No token was made.`,
  );
}

function refuseSurplus(tokens: readonly StoredApiToken[], owner: Account): void {
  if (tokens.filter(({ user_id }) => user_id === owner.id).length < tokensPerUser) return;
  throw new StewardError(
    "token_limit_reached",
    `${owner.username} has ${tokensPerUser} API tokens, which is the maximum. Delete one that is no longer needed.`,
  );
}

/** Once a trusted clock has shown it, the mark is permanent, so that no other clock makes it valid again. */
function isExpired({ document, time }: ApiTokensOptions, token: StoredApiToken): boolean {
  if (!isOver(token, time.expiryNow())) return false;
  if (!token.is_dead && time.isTrusted())
    document.note((state) => changed(state, token.id, { is_dead: true }), 0);
  return true;
}

/** Dates tokens that were made while the clock was not trusted, and marks those that have expired. */
function swept(state: ApiTokensState, now: Date): ApiTokensState {
  const tokens = state.tokens.map((token) => {
    if (token.is_dead) return token;
    if (!token.is_dated) {
      const end = new Date(now.getTime() + token.lifetime_seconds * 1_000);
      return { ...token, is_dated: true, expires_at: end.toISOString() };
    }
    return now.getTime() < Date.parse(token.expires_at) ? token : { ...token, is_dead: true };
  });
  return tokens.every((token, index) => token === state.tokens[index]) ? state : { ...state, tokens };
}

function changed(state: ApiTokensState, id: string, change: Partial<StoredApiToken>): ApiTokensState {
  const tokens = state.tokens.map((token) => (token.id === id ? { ...token, ...change } : token));
  return { ...state, tokens };
}

import { StewardError } from "../../contract/errors.ts";
import type { Scope } from "../../contract/scopes.ts";
import type { Uptime } from "../../host/ports.ts";
import type { Document } from "../../store/documents/document.ts";
import { createLookUp } from "../../store/documents/look-up.ts";
import type { Account } from "../../users/account.ts";
import { hashOfToken } from "../sessions/refresh-token.ts";
import type { TrustedTime } from "../trusted-time.ts";
import { type ApiTokensState, newTokenId, newTokenText, resumed, type StoredApiToken } from "./api-token.ts";
import { createLivingTokens, isOver } from "./token-ends.ts";
import { foreignScopes, noEnd } from "./token-rights.ts";

/** Tokens for programs: they have scopes and an end, are stored as hashes, and never permit a change of credentials. */
export interface ApiTokens {
  /**
   * `text` is the only copy of the token itself. Throws `forbidden` for a scope that the owner's role does not permit.
   */
  create(owner: Account, wanted: WantedToken): Promise<{ token: StoredApiToken; text: string }>;
  /**
   * Makes another token with the same rights and lifetime, and ends the former one after so many seconds, or earlier if
   * it would have ended before. Throws `not_found` and `token_limit_reached`.
   */
  rotate(
    owner: Account,
    token: StoredApiToken,
    overlapSeconds: number,
  ): Promise<{ token: StoredApiToken; text: string }>;
  /**
   * The same for a program with this token. While its successor has not been used, another one replaces that, since the
   * answer may have been lost; afterwards it throws `forbidden`: two programs go by the same token.
   */
  rotateOwn: ApiTokens["rotate"];
  /** Makes the token whose hash a provisioned device brings. Throws the errors of `create`. */
  provision(owner: Account, wanted: WantedToken, hash: string): Promise<StoredApiToken>;
  /** True if `provision` has made the token of this hash, which may have been deleted since; null: if it has made none. */
  isProvisioned(hash: string | null): boolean;
  /** The token of this text, which may be suspended. */
  find(text: string): StoredApiToken | undefined;
  byId(id: string): StoredApiToken | undefined;
  /** In the order of their creation; of one user, or of all. */
  list(userId?: string): readonly StoredApiToken[];
  isExpired(token: StoredApiToken): boolean;
  /** The time at which the first program loses its access; null: no token ends, as far as is known. */
  nextEnd(): Date | null;
  /** Those that have not expired and are not suspended; another list after each change. */
  living(): readonly StoredApiToken[];
  /** Gives the number of tokens of a user that are among those. */
  countLiving(): (userId: string) => number;
  /** Seconds of monotonic time since the token was last accepted; infinity if it was not since the start. */
  secondsSinceUse(token: StoredApiToken): number;
  /** Notes a use; written at most every quarter of an hour. */
  used(token: StoredApiToken, from: string): void;
  /** Makes a suspended token valid again. Throws `not_found`, `storage_full` and `storage_unwritable`. */
  resume(id: string): Promise<StoredApiToken>;
  /** Makes tokens invalid at once in memory, even if the disk cannot be written. */
  remove(isMeant: (token: StoredApiToken) => boolean): Promise<void>;
  /** Ends all tokens of a user as `remove` does, if the account is taken back from an intruder; or keeps them all. */
  endAll(userId: string, areKept?: boolean): Promise<EndedTokens>;
  /** While the clock is trusted: dates the tokens that were made before it was, and marks those that have expired. */
  sweep(): void;
}

/** The result for a user's tokens, as answers and events give it; expired ones are not counted. */
export interface EndedTokens {
  readonly tokens_ended: number;
  /** Absent: none were to be kept. */
  readonly tokens_kept?: number;
}

export interface WantedToken {
  name: string;
  scopes: readonly Scope[];
  lifetimeSeconds: number;
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

/** Tokens that one user may have. */
export const tokensPerUser = 50;

/** Seconds between two notes of a token's use, which is not worth more writes. */
const useNoteSeconds = 15 * 60;

export function createApiTokens(options: ApiTokensOptions): ApiTokens {
  const { document, time, uptime } = options;
  const all = () => document.read().tokens;
  const byHash = createLookUp(all, ({ hash }) => hash);
  const { living, countLiving, nextEnd } = createLivingTokens(all, time);
  const remove: ApiTokens["remove"] = async (isMeant) => {
    if (!all().some(isMeant)) return;
    document.note((state) => ({ ...state, tokens: state.tokens.filter((token) => !isMeant(token)) }), 0);
    await document.save();
  };
  const usedAt = new Map<string, number>();
  const notedAt = new Map<string, number>();
  return {
    byId: createLookUp(all, ({ id }) => id),
    find: (text) => byHash(hashOfToken(text)),
    list: (userId) => (userId === undefined ? all() : all().filter((token) => token.user_id === userId)),
    create: async (owner, wanted) => {
      const text = newTokenText();
      return { token: await add(options, owner, { ...wanted, hash: hashOfToken(text) }), text };
    },
    provision: (owner, wanted, hash) => add(options, owner, { ...wanted, hash }, { provisioned: hash }),
    ...createRotations(options),
    resume: (id) => resume(options, id),
    isProvisioned: (hash) => document.read().provisioned === hash,
    isExpired: (token) => isExpired(options, token),
    ...{ living, countLiving, nextEnd },
    secondsSinceUse: ({ id }) => uptime() - (usedAt.get(id) ?? Number.NEGATIVE_INFINITY),
    used: ({ id }, from) => {
      usedAt.set(id, uptime());
      if (uptime() - (notedAt.get(id) ?? Number.NEGATIVE_INFINITY) < useNoteSeconds) return;
      notedAt.set(id, uptime());
      const use = { last_used_at: time.now().toISOString(), last_used_from: from };
      document.note((state) => changed(state, id, use), useNoteSeconds);
    },
    remove,
    endAll: async (userId, areKept = false) => {
      const living = countLiving()(userId);
      if (areKept) return { tokens_ended: 0, tokens_kept: living };
      await remove(({ user_id }) => user_id === userId);
      return { tokens_ended: living };
    },
    sweep: () => {
      if (time.isTrusted()) document.note((state) => swept(state, time.expiryNow()), 0);
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
    ...{ scopes, sources, is_fleet: isFleet },
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
  { overlapSeconds, successorOf = () => undefined }: Rotation,
): Promise<{ token: StoredApiToken; text: string }> {
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

function createRotations(options: ApiTokensOptions): Pick<ApiTokens, "rotate" | "rotateOwn"> {
  return {
    rotate: (owner, token, overlapSeconds) => rotate(options, owner, token, { overlapSeconds }),
    rotateOwn: (owner, token, overlapSeconds) =>
      rotate(options, owner, token, { overlapSeconds, successorOf: unusedSuccessor }),
  };
}

interface Rotation {
  readonly overlapSeconds: number;
  /** The token that the new one takes the place of. */
  readonly successorOf?: (
    tokens: readonly StoredApiToken[],
    former: StoredApiToken,
  ) => StoredApiToken | undefined;
}

/** Throws `forbidden` for a successor that has been used. */
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

/**
 * The end of a token that is replaced: it never lives longer than it would have, nor again. While the clock is not
 * trusted, the rest of its life begins with the trust.
 */
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

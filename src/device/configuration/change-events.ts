import type { StoredApiToken } from "../../accounts/tokens/api-token.ts";
import { noEnd } from "../../accounts/tokens/token-rights.ts";
import type { Account } from "../../accounts/users/account.ts";
import type { ConfigurationChange } from "../../contract/types.ts";
import type { EventDetails, EventFacts, EventSubject } from "../../journal/events/event.ts";
import type { Present } from "./order.ts";

type ChangeEvent = Pick<EventFacts, "type" | "subject" | "details">;

/** The events of the changes between two states: those that each change on its own would have. */
export function changeEvents(
  before: Present,
  after: Present,
  changes: readonly ConfigurationChange[],
): ChangeEvent[] {
  return [...userEvents(before, after), ...tokenEvents(before, after), ...settingEvents(changes)];
}

function userEvents(before: Present, after: Present): ChangeEvent[] {
  const former = new Map(before.users.accounts.map((account) => [account.id, account]));
  const next = new Set(after.users.accounts.map(({ id }) => id));
  const gone = before.users.accounts.filter(({ id }) => !next.has(id));
  return [
    ...after.users.accounts.flatMap((is): ChangeEvent[] => {
      const was = former.get(is.id);
      if (was === is) return [];
      return [...(was === undefined ? [created(is)] : changed(was, is)), ...factorEvents(was, is)];
    }),
    ...gone.map(
      (account): ChangeEvent => ({
        type: "user.deleted",
        subject: subjectOf(account),
        details: { role: account.role },
      }),
    ),
  ];
}

function created(account: Account): ChangeEvent {
  const { role, enabled } = account;
  const details = { role, enabled, has_initial_password: false };
  return { type: "user.created", subject: subjectOf(account), details };
}

function changed(was: Account, is: Account): ChangeEvent[] {
  const subject = subjectOf(is);
  const details = {
    ...(is.role !== was.role && { role: is.role, role_before: was.role }),
    ...(is.enabled !== was.enabled && { enabled: is.enabled }),
    ...(is.display_name !== was.display_name && { display_name_changed: true }),
  };
  const reset = { role: is.role, has_initial_password: false, tokens_ended: 0 };
  return [
    ...(Object.keys(details).length > 0 ? [{ type: "user.changed" as const, subject, details }] : []),
    ...(is.password_hash === was.password_hash
      ? []
      : [{ type: "user.password_reset" as const, subject, details: reset }]),
  ];
}

function factorEvents(was: Account | undefined, is: Account): ChangeEvent[] {
  if (is.two_factor === null || is.two_factor === was?.two_factor) return [];
  return [{ type: "two_factor.enabled", subject: subjectOf(is), details: { role: is.role } }];
}

function tokenEvents(before: Present, after: Present): ChangeEvent[] {
  const former = new Map(before.tokens.tokens.map((token) => [token.id, token]));
  const next = new Set(after.tokens.tokens.map(({ id }) => id));
  const names = new Map(after.users.accounts.map(({ id, username }) => [id, username]));
  return [
    ...after.tokens.tokens
      .filter(({ id }) => !former.has(id))
      .map(
        ({ id, name, user_id, ...token }): ChangeEvent => ({
          type: "token.created",
          subject: { id, name },
          details: { ...tokenDetails(token), owner: names.get(user_id) ?? user_id },
        }),
      ),
    ...after.tokens.tokens
      .filter(({ id, suspended }) => !suspended && former.get(id)?.suspended)
      .map(
        ({ id, name, user_id }): ChangeEvent => ({
          type: "token.resumed",
          subject: { id, name },
          details: { owner: names.get(user_id) ?? user_id },
        }),
      ),
    ...before.tokens.tokens
      .filter(({ id }) => !next.has(id))
      .map(({ id, name }): ChangeEvent => ({ type: "token.deleted", subject: { id, name }, details: {} })),
  ];
}

type Shown = Pick<StoredApiToken, "scopes" | "sources" | "is_fleet" | "pages" | "expires_at">;

function tokenDetails({ scopes, sources, is_fleet, pages, expires_at }: Shown): EventDetails {
  return {
    ...{ scopes, ...(is_fleet && { is_fleet }), ...(sources.length > 0 && { sources }) },
    ...{ ...(pages && { pages }), ...(expires_at !== noEnd && { ends_at: expires_at }) },
  };
}

function settingEvents(changes: readonly ConfigurationChange[]): ChangeEvent[] {
  return changes
    .filter(({ subject }) => subject === "settings")
    .map(({ members }) => ({
      type: "settings.changed",
      subject: null,
      details: { changed: members.map(({ member }) => member) },
    }));
}

function subjectOf({ id, username }: Account): EventSubject {
  return { id, name: username };
}

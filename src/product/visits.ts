import { randomBytes } from "node:crypto";
import { requiredActionOf } from "../accounts/sessions/required-action.ts";
import type { StoredSession } from "../accounts/sessions/session.ts";
import type { Sessions } from "../accounts/sessions/sessions.ts";
import { createTimedTable } from "../accounts/timed-table.ts";
import type { Program } from "../accounts/tokens/bearer.ts";
import type { Account } from "../accounts/users/account.ts";
import type { Accounts } from "../accounts/users/accounts.ts";
import { StewardError } from "../contract/errors.ts";
import { roleNames } from "../contract/shapes.ts";
import type { Role, Settings } from "../contract/types.ts";
import type { Uptime } from "../host/ports.ts";
import type { Visit } from "./ended-sessions.ts";
import { isForeign, isNavigation, isRead, type PageRequest } from "./page-request.ts";

/** A page of the product, as root has decided in the host file. */
export interface ProductPage {
  readonly name: string;
  readonly title: { readonly en: string; readonly de?: string };
  /** People open it there: scheme, host and port. */
  readonly origin: string;
  /** The least role that may open it. */
  readonly role: Role;
  /** Absolute path of the file with the text that only Steward and the page know; null: there is none. */
  readonly secretFile: string | null;
  /** The origin of the console at which its visitors sign in. */
  readonly signIn: string;
}

/** The holder of a session, or of an API token, who comes to a page. */
export interface Visitor {
  readonly account: Account;
  readonly session: StoredSession | null;
}

/** Undefined: sign in first. `foreign`: another origin than the page's asks. `role`: that of the visitor is not enough. */
export type Verdict = Visitor | "unknown" | "foreign" | "role";

export interface VisitsOptions {
  readonly pages: readonly ProductPage[];
  readonly accounts: Pick<Accounts, "find">;
  readonly sessions: Sessions;
  readonly security: () => Settings["security"];
  readonly uptime: Uptime;
  /** Called where a session is let into a page. */
  readonly visited: (visit: Visit) => void;
}

/** Seconds in which a browser comes from the console to the page, which it does at once. */
const codeSeconds = 60;

/** Codes that wait: a person opens one page after the other. */
const mostCodes = 64;

/** The people and programs who come to the product's pages (docs/design/product.md). */
export type Visits = ReturnType<typeof createVisits>;

export function createVisits({ pages, accounts, sessions, security, uptime, visited }: VisitsOptions) {
  const codes = createTimedTable<{ page: string; sessionId: string }>({
    seconds: codeSeconds,
    most: mostCodes,
    uptime,
  });
  const pageOf = (name: string): ProductPage => {
    const page = pages.find((one) => one.name === name);
    if (page) return page;
    throw new StewardError("not_found", `The host file names no page "${name}" of the product.`);
  };
  const holderOf = (page: ProductPage, session: StoredSession | undefined): Visitor | "unknown" | "role" => {
    const account = session && accounts.find(session.user_id);
    if (!session || !account?.enabled) return "unknown";
    if (requiredActionOf(account, security().require_2fa) !== null) return "unknown";
    return mayOpen(page, account.role) ? { account, session } : "role";
  };
  return {
    /** Throws `not_found`. */
    pageOf,
    pagesFor: (role: Role): ProductPage[] => pages.filter((page) => mayOpen(page, role)),
    /** Judges a request to a page by the values of its cookie. A stranger's is refused before anything is looked up. */
    check: (page: ProductPage, request: PageRequest, values: readonly string[]): Verdict => {
      // Nothing is done in anyone's name: a program whose token does not count has no origin, and is not at fault for that.
      if (values.length === 0) return "unknown";
      if (isForeign(page.origin, request)) return "foreign";
      const session = values.map((value) => sessions.ofPage(page.name, value)).find(Boolean);
      const verdict = holderOf(page, session);
      if (!session || typeof verdict !== "object") return verdict;
      visited({ sessionId: session.id, page: page.name });
      if (isNavigation(request) || !isRead(request)) sessions.keepInUse(session);
      return verdict;
    },
    /** True while the session may open the page. */
    isAllowed: ({ sessionId, page }: Visit): boolean =>
      pages.some((one) => one.name === page && typeof holderOf(one, sessions.find(sessionId)) === "object"),
    checkProgram,
    /** Returns a code with which this session's browser comes into the page once, within a minute. Throws `forbidden`. */
    begin: (page: ProductPage, session: StoredSession): string => {
      if (holderOf(page, session) === "role")
        throw new StewardError("forbidden", `The page "${page.name}" is for the role ${page.role} or above.`);
      const code = randomBytes(24).toString("base64url");
      codes.put(code, { page: page.name, sessionId: session.id }, session.user_id);
      return code;
    },
    /** The value of the page's cookie for a code of `begin`; undefined: it was used, is too old, or is another page's. */
    finish: (page: ProductPage, code: string): string | undefined => {
      const begun = codes.get(code);
      codes.delete(code);
      const session = begun?.page === page.name ? sessions.find(begun.sessionId) : undefined;
      if (typeof holderOf(page, session) !== "object") return undefined;
      return session && sessions.openPage(session.id, page.name);
    },
  };
}

/** Judges a program, whose token counts for pages: for all, or for those that it names. */
function checkProgram(page: ProductPage, { account, requiredAction, token: { pages } }: Program): Verdict {
  if (requiredAction !== null || pages?.includes(page.name) === false) return "unknown";
  return mayOpen(page, account.role) ? { account, session: null } : "role";
}

function mayOpen(page: ProductPage, role: Role): boolean {
  return roleNames.indexOf(role) <= roleNames.indexOf(page.role);
}

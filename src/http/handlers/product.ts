import type { IncomingHttpHeaders } from "node:http";
import { isNavigation, type PageRequest, returnPath } from "../../product/page-request.ts";
import type { ProductPage, Verdict, Visitor, Visits } from "../../product/visits.ts";
import { type Handlers, type HeaderAnswer, personOf } from "../call.ts";
import { cookieValues } from "../refresh-cookie.ts";

export interface ProductHandlersOptions {
  readonly visits: Visits;
  readonly deviceId: string;
  /** The text that only Steward and the page know; null: root has named none. Throws what keeps it from being read. */
  readonly gateOf: (page: ProductPage) => Promise<string | null>;
}

/** The path of each page that its proxy passes on to `finishPage`. */
const entrance = "/.steward/enter";

/** Seconds after which a page asks again about a connection that it keeps open. */
const recheckSeconds = 30;

export function createProductHandlers({ visits, deviceId, gateOf }: ProductHandlersOptions) {
  return {
    checkPage: async ({ params, query, actor, headers = {} }) => {
      const page = visits.pageOf(params.name);
      const request = pageRequestOf(headers);
      const verdict =
        actor.kind === "token" ? visits.checkProgram(page, actor) : ofBrowser(page, request, headers);
      const authorization = actor.kind === "anonymous" ? ofOthers(headers.authorization) : undefined;
      if (typeof verdict === "object") return passed(verdict, await gateOf(page), authorization);
      return refused(page, verdict, request, query?.redirect !== undefined);
    },
    enterPage: ({ params, body, actor }) => {
      const page = visits.pageOf(params.name);
      const code = visits.begin(page, personOf(actor).session);
      const query = new URLSearchParams({ code, to: returnPath(body.to) });
      return { location: `${page.origin}${entrance}?${query}` };
    },
    finishPage: ({ params, query, headers = {} }) => {
      const page = visits.pageOf(params.name);
      const request = pageRequestOf(headers);
      const to = returnPath(query.to);
      if (!isOfSite(page, request)) return { status: 403, headers: { "Steward-Refusal": "foreign" } };
      const value = visits.finish(page, query.code);
      if (value === undefined) return { status: 302, headers: { Location: signInOf(page, to) } };
      const where = page.origin.startsWith("https:") ? "; Secure" : "";
      const cookie = `${cookieName(page)}=${value}; Path=/${where}; HttpOnly; SameSite=Strict`;
      // A browser that another site's console has sent here keeps the cookie from a redirect: the page itself goes on.
      const isElsewhere = request.site === "cross-site";
      if (isElsewhere) return { status: 200, headers: { Refresh: `0; url=${to}`, "Set-Cookie": cookie } };
      return { status: 302, headers: { Location: to, "Set-Cookie": cookie } };
    },
  } satisfies Partial<Handlers>;

  function ofBrowser(page: ProductPage, request: PageRequest, { cookie }: IncomingHttpHeaders): Verdict {
    return visits.check(page, request, cookieValues(cookie, cookieName(page)));
  }

  /** One a page and a device. Browsers take `__Host-` only over HTTPS, from that very host. */
  function cookieName({ name, origin }: ProductPage): string {
    const prefix = origin.startsWith("https:") ? "__Host-" : "";
    return `${prefix}steward-page-${name}-${deviceId.slice(0, 8)}`;
  }
}

function pageRequestOf(headers: IncomingHttpHeaders): PageRequest {
  const of = (...names: string[]): string | undefined => {
    for (const name of names) if (typeof headers[name] === "string") return headers[name];
    return undefined;
  };
  const [original, forwarded] = [of("x-original-method"), of("x-forwarded-method")];
  const isAgreed = original === undefined || forwarded === undefined || original === forwarded;
  return {
    // A proxy overwrites one of the two; the client may have sent the other, which must not make a change look like a read.
    method: isAgreed ? (original ?? forwarded) : undefined,
    target: of("x-original-uri", "x-forwarded-uri"),
    origin: of("origin"),
    accept: of("accept"),
    site: of("sec-fetch-site"),
    mode: of("sec-fetch-mode"),
    dest: of("sec-fetch-dest"),
  };
}

/** A foreign page must not sign a person in as another; pages under another name than the console's cannot tell. */
function isOfSite({ origin, signIn }: ProductPage, { site }: PageRequest): boolean {
  return site !== "cross-site" || new URL(origin).hostname !== new URL(signIn).hostname;
}

function signInOf({ signIn, name }: ProductPage, to: string): string {
  return `${signIn}/product/${name}?to=${to}`;
}

/** A token of Steward's is not for the page, an API token that is refused neither; what else a browser sends there is. */
function ofOthers(authorization: string | undefined): string | undefined {
  return authorization && /^bearer stw_/i.test(authorization) ? undefined : authorization;
}

function passed(
  { account, session }: Visitor,
  gate: string | null,
  authorization: string | undefined,
): HeaderAnswer {
  const { username, id, role } = account;
  const kind = session === null ? "token" : "user";
  return {
    status: 204,
    headers: {
      "Steward-User": username,
      "Steward-User-Id": id,
      "Steward-Role": role,
      "Steward-Kind": kind,
      "Steward-Session": session?.id ?? "",
      "Steward-Recheck": String(recheckSeconds),
      // Empty in place of absent: Caddy passes on the name of a header that it does not find.
      "Steward-Gate": gate ?? "",
      "Steward-Authorization": authorization ?? "",
    },
  };
}

function refused(
  page: ProductPage,
  verdict: Exclude<Verdict, Visitor>,
  request: PageRequest,
  isRedirect: boolean,
): HeaderAnswer {
  if (verdict !== "unknown") return { status: 403, headers: { "Steward-Refusal": verdict } };
  // Programs, scripts and frames would get a page that they cannot use.
  if (!isNavigation(request)) return { status: 401, headers: { "WWW-Authenticate": "Bearer" } };
  const location = signInOf(page, returnPath(request.target));
  if (isRedirect) return { status: 302, headers: { Location: location } };
  return { status: 401, headers: { "WWW-Authenticate": "Bearer", "Steward-Sign-In": location } };
}

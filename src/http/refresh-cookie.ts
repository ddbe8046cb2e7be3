import type Koa from "koa";
import { documentPartLength } from "../accounts/sessions/refresh-exchange.ts";
import { StewardError } from "../contract/errors.ts";

export type RefreshCookie = ReturnType<typeof createRefreshCookie>;

/** Cookies of our name that are tried; each costs a look-up. */
const mostCookies = 8;

/** Browsers take such a cookie only over HTTPS, from this very host (RFC 6265bis §4.1.3.2): no other can plant one. */
const hostOnly = "__Host-";

/** Differs for each device, so that two devices behind one host name do not overwrite each other's cookie. */
export function refreshCookieName(deviceId: string): string {
  return `steward-refresh-${deviceId.slice(0, 8)}`;
}

/** A browser's refresh token, in a cookie that no script can read. `scheme`: `https` or `http`, as the browser sees it. */
export function createRefreshCookie(ctx: Koa.Context, plainName: string, scheme: string) {
  const isSecure = scheme === "https";
  const name = isSecure ? `${hostOnly}${plainName}` : plainName;
  const where = isSecure ? "Path=/; Secure" : "Path=/api/auth";
  const line = (value: string): string => `${name}=${value}; ${where}; HttpOnly; SameSite=Strict`;
  const ofDocuments = `${name}-document`;
  /** Also sent where a person comes by a link of another site. */
  const documentLine = (value: string): string =>
    `${ofDocuments}=${value}; Path=/${isSecure ? "; Secure" : ""}; HttpOnly; SameSite=Lax`;
  const set = (lines: readonly string[]): void => void ctx.res.setHeader("Set-Cookie", lines);
  const binding = ctx.req.headers["x-refresh-binding"];
  return {
    /** The X-Refresh-Binding header: the page received its value together with the cookie. */
    binding: typeof binding === "string" ? binding : undefined,
    /**
     * The tokens. There is more than one if another program on this host has set a cookie of the same name; only a
     * look-up of the sessions finds ours. Throws `authentication_required` if there is none, and `forbidden` if the
     * request does not come from a page of the same origin.
     */
    read: (): readonly string[] => {
      const tokens = cookieValues(ctx.req.headers.cookie, name);
      if (tokens.length === 0) {
        throw new StewardError(
          "authentication_required",
          "The request has a refresh token neither in its body nor in a cookie. Sign in.",
        );
      }
      if (!isSameOrigin(ctx, scheme)) {
        throw new StewardError(
          "forbidden",
          "The cookie is accepted only from pages of the same origin: scheme, host and port.",
        );
      }
      return tokens;
    },
    /** `binding`: of a sign-in; the part that no page stores goes into a cookie of its own. */
    write: (token: string, binding?: string): void =>
      set([line(token), ...(binding ? [documentLine(binding.slice(-documentPartLength))] : [])]),
    clear: (): void => set([line(""), documentLine("")].map((one) => `${one}; Max-Age=0`)),
    /**
     * Gives a document the part of the binding that no page stores. A document reads its own `Server-Timing`, and no page
     * of the same origin reads another document's: the console is in no frame and has no opener, and a page's own requests
     * say another destination. Browsers without Fetch Metadata say none.
     */
    tellDocument: (): void => {
      if ((ctx.get("sec-fetch-dest") || "document") !== "document") return;
      const [part] = cookieValues(ctx.req.headers.cookie, ofDocuments);
      if (part && /^[\w-]+$/.test(part)) ctx.set("Server-Timing", `document;desc="${part}"`);
    },
  };
}

/** The values of the cookies of this name, a few at most. */
export function cookieValues(header: string | undefined, name: string): string[] {
  return (header ?? "")
    .split(";")
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1))
    .filter((value) => value !== "")
    .slice(0, mostCookies);
}

/** False for a page of another site or program. Only browsers can be believed here: see `binding`. */
function isSameOrigin(ctx: Koa.Context, scheme: string): boolean {
  const { "sec-fetch-site": site, origin, host } = ctx.req.headers;
  if (site !== undefined) return site === "same-origin";
  if (origin === undefined || host === undefined) return false;
  return URL.canParse(origin) && origin === new URL(`${scheme}://${host}`).origin;
}

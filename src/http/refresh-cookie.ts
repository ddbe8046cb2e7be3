import type Koa from "koa";
import { StewardError } from "../contract/errors.ts";

/** The refresh token of a browser, where no script of a page can read it. */
export interface RefreshCookie {
  /**
   * The tokens: more than one where another program of this host has set a cookie of our name, which only their session
   * can tell apart. Throws `authentication_required` when there is none, `forbidden` when the request does not come from
   * a page of this very origin.
   */
  read(): readonly string[];
  /** The X-Refresh-Binding header: the value that the page was given together with its cookie. */
  readonly binding: string | undefined;
  write(token: string): void;
  clear(): void;
}

/** Cookies of our name that are looked at; each costs a search. */
const mostCookies = 8;

export interface RefreshCookieOptions {
  name: string;
  /** `https` or `http`, as the browser sees it. */
  scheme: string;
}

/** One for each device, so that two of them behind one name do not take each other's. */
export function refreshCookieName(deviceId: string): string {
  return `steward-refresh-${deviceId.slice(0, 8)}`;
}

export function createRefreshCookie(ctx: Koa.Context, { name, scheme }: RefreshCookieOptions): RefreshCookie {
  const set = (value: string, more: string): void => {
    const secure = scheme === "https" ? "; Secure" : "";
    const attributes = `; Path=/api/auth; HttpOnly; SameSite=Strict${secure}${more}`;
    ctx.res.setHeader("Set-Cookie", `${name}=${value}${attributes}`);
  };
  const binding = ctx.req.headers["x-refresh-binding"];
  return {
    binding: typeof binding === "string" ? binding : undefined,
    read: () => {
      const tokens = cookieValues(ctx.req.headers.cookie, name);
      if (tokens.length === 0) {
        throw new StewardError(
          "authentication_required",
          "There is neither a refresh token in the body nor a cookie with one. Sign in.",
        );
      }
      if (!isSameOrigin(ctx, scheme)) {
        throw new StewardError(
          "forbidden",
          "The cookie counts only for pages of this very origin: its scheme, host and port.",
        );
      }
      return tokens;
    },
    write: (token) => set(token, ""),
    clear: () => set("", "; Max-Age=0"),
  };
}

function cookieValues(header: string | undefined, name: string): string[] {
  return (header ?? "")
    .split(";")
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1))
    .filter((value) => value !== "")
    .slice(0, mostCookies);
}

/** A page of another site, or of another program on this host. A client that is no browser can say anything here: see `binding`. */
function isSameOrigin(ctx: Koa.Context, scheme: string): boolean {
  const { "sec-fetch-site": site, origin, host } = ctx.req.headers;
  if (site !== undefined) return site === "same-origin";
  if (origin === undefined || host === undefined) return false;
  return URL.canParse(origin) && origin === new URL(`${scheme}://${host}`).origin;
}

import type Koa from "koa";
import { StewardError } from "../errors.ts";

/** The refresh token of a browser, where no script of a page can read it. */
export interface RefreshCookie {
  /**
   * The token. Throws `authentication_required` when there is none, `forbidden` when the request does not come from a
   * page of this very origin.
   */
  read(): string;
  write(token: string): void;
  clear(): void;
}

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
  return {
    read: () => {
      const token = cookieValue(ctx.req.headers.cookie, name);
      if (token === undefined) {
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
      return token;
    },
    write: (token) => set(token, ""),
    clear: () => set("", "; Max-Age=0"),
  };
}

/** Undefined also when there are two: one of them was planted. */
function cookieValue(header: string | undefined, name: string): string | undefined {
  const values = (header ?? "")
    .split(";")
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1));
  const [value] = values;
  return values.length === 1 && value !== "" ? value : undefined;
}

/** Cookies do not tell ports apart, and another program's page on this host is another site's. */
function isSameOrigin(ctx: Koa.Context, scheme: string): boolean {
  const { "sec-fetch-site": site, origin, host } = ctx.req.headers;
  if (site !== undefined) return site === "same-origin";
  if (origin === undefined || host === undefined) return false;
  return URL.canParse(origin) && origin === new URL(`${scheme}://${host}`).origin;
}

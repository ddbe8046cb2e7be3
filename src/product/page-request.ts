/** A request to a page of the product as its proxy passes it on; undefined: it, or the browser, does not say. */
export interface PageRequest {
  readonly method: string | undefined;
  /** The path and the query. */
  readonly target: string | undefined;
  readonly origin: string | undefined;
  readonly accept: string | undefined;
  /** Fetch Metadata: `Sec-Fetch-Site`, `-Mode` and `-Dest`. Plain HTTP has none. */
  readonly site: string | undefined;
  readonly mode: string | undefined;
  readonly dest: string | undefined;
}

/** RFC 9110 §9.2.1; an unknown method changes something. */
export function isRead({ method }: PageRequest): boolean {
  return method === "GET" || method === "HEAD";
}

/** A person opens the page: only then is the sign-in an answer. */
export function isNavigation(request: PageRequest): boolean {
  const { mode, dest, accept } = request;
  if (mode === undefined) return isRead(request) && accept?.includes("text/html") === true;
  return isRead(request) && mode === "navigate" && dest === "document";
}

/**
 * True: another origin's page has caused the request. One at another port of the same host gets the page's cookies, since
 * neither cookies nor SameSite know ports. Only a person who follows a link comes from there.
 */
export function isForeign(own: string, request: PageRequest): boolean {
  const { origin, site } = request;
  if (origin !== undefined) return origin !== own;
  // Browsers say the origin with each method that may change something, and with a WebSocket.
  if (!isRead(request)) return site !== "same-origin";
  const isOwn = site === undefined || site === "same-origin" || site === "none";
  return !isOwn && !isNavigation(request);
}

/** The path to which a visitor goes back, on the page's own origin: others lead to its first page. */
export function returnPath(target: string | undefined): string {
  // `//host` and `/\host` are addresses of other hosts to a browser.
  return target !== undefined && target.length <= longestPath && /^\/(?![/\\])[\x21-\x7e]*$/.test(target)
    ? target
    : "/";
}

/** Characters: what servers take as a line, with room for the rest of the address. */
const longestPath = 2_000;

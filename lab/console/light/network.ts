/** The pages of one person reach the agent by real HTTP, with their cookies, unless a test answers in its place. */

export type Matcher = string | RegExp | ((url: URL) => boolean);

/** As playwright's: `*` stops at a slash, `**` does not. */
export function matches(matcher: Matcher, address: string, origin: string): boolean {
  if (typeof matcher === "function") return matcher(new URL(address));
  if (matcher instanceof RegExp) return matcher.test(address);
  const whole = matcher.startsWith("*") ? matcher : new URL(matcher, origin).href;
  const pattern = whole
    .replace(/[.+?^${}()|[\]\\]/g, "\\$&")
    .replace(/\*\*\/?/g, "\0")
    .replaceAll("*", "[^/]*")
    .replaceAll("\0", ".*");
  return new RegExp(`^${pattern}$`).test(address);
}

/** A request of a page; the names of its members are playwright's. */
export class LightRequest {
  readonly #url: string;
  readonly #init: RequestInit;
  constructor(url: string, init: RequestInit) {
    this.#url = url;
    this.#init = init;
  }
  url = (): string => this.#url;
  method = (): string => this.#init.method ?? "GET";
  headers = (): Record<string, string> => Object.fromEntries(new Headers(this.#init.headers));
  postData = (): string | null => (typeof this.#init.body === "string" ? this.#init.body : null);
  postDataJSON = (): unknown => JSON.parse(this.postData() ?? "null");
}

interface Fulfilment {
  readonly status?: number;
  readonly contentType?: string;
  readonly body?: string;
  readonly json?: unknown;
  readonly response?: Response;
}

/** A request that a test decides about. */
export interface LightRoute {
  request(): LightRequest;
  fetch(): Promise<Response>;
  fulfill(answer: Fulfilment): Promise<void>;
  abort(): Promise<void>;
  continue(changed?: { headers?: Record<string, string> }): Promise<void>;
  fallback(): Promise<void>;
}

export type Handler = (route: LightRoute, request: LightRequest) => unknown;

interface Rule {
  readonly matcher: Matcher;
  readonly handler: Handler;
  left: number;
}

/** Tests' answers in the agent's place; the latest is asked first. */
export class Rules {
  #rules: Rule[] = [];
  readonly #origin: string;
  constructor(origin: string) {
    this.#origin = origin;
  }
  add(matcher: Matcher, handler: Handler, { times = Number.POSITIVE_INFINITY } = {}): void {
    this.#rules.unshift({ matcher, handler, left: times });
  }
  remove(matcher: Matcher): void {
    this.#rules = this.#rules.filter((rule) => rule.matcher !== matcher);
  }
  clear(): void {
    this.#rules = [];
  }
  for(url: string): Rule[] {
    return this.#rules.filter(({ matcher, left }) => left > 0 && matches(matcher, url, this.#origin));
  }
}

/** The parts of a cookie that a jar keeps. */
interface Cookie {
  readonly name: string;
  readonly value: string;
  readonly path: string;
}

/** The cookies of one person. */
export class Cookies {
  #all: Cookie[] = [];
  take(answer: Response): void {
    for (const line of answer.headers.getSetCookie()) {
      const [pair = "", ...attributes] = line.split(/;\s*/);
      const [name = "", ...value] = pair.split("=");
      const of = (key: string): string | undefined =>
        attributes.find((one) => one.toLowerCase().startsWith(`${key}=`))?.slice(key.length + 1);
      const path = of("path") ?? "/";
      this.#all = this.#all.filter((one) => one.name !== name || one.path !== path);
      const isOver = of("max-age") === "0" || Date.parse(of("expires") ?? "9999") < Date.now();
      if (!isOver && value.join("=") !== "") this.#all.push({ name, value: value.join("="), path });
    }
  }
  for(url: string): Cookie[] {
    const { pathname } = new URL(url);
    return this.#all.filter(({ path }) => pathname.startsWith(path));
  }
}

/** As Chromium of Linux says it. */
export const userAgent =
  "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36";

/** Sends a request as a browser does from a page of the agent's. */
export async function send(request: LightRequest, cookies: Cookies, signal: AbortSignal): Promise<Response> {
  const url = request.url();
  const headers = new Headers(request.headers());
  const cookie = cookies.for(url).map(({ name, value }) => `${name}=${value}`);
  if (cookie.length > 0) headers.set("cookie", cookie.join("; "));
  headers.set("user-agent", userAgent);
  headers.set("sec-fetch-site", "same-origin");
  if (request.method() !== "GET") headers.set("origin", new URL(url).origin);
  const body = request.postData();
  const answer = await fetch(url, { method: request.method(), headers, signal, body });
  cookies.take(answer);
  return answer;
}

/** Asks the tests' answers one after another, and the agent where none of them decides. */
export async function answerTo(
  request: LightRequest,
  rules: readonly Rule[],
  go: (request: LightRequest) => Promise<Response>,
): Promise<Response> {
  const [rule, ...others] = rules;
  if (rule === undefined) return go(request);
  rule.left -= 1;
  return new Promise<Response>((resolve, reject) => {
    const on = (answer: Promise<Response>): Promise<void> => {
      answer.then(resolve, reject);
      return answer.then(
        () => undefined,
        () => undefined,
      );
    };
    const route: LightRoute = {
      request: () => request,
      fetch: () => go(request),
      fulfill: async (answer) => resolve(await fulfilled(answer)),
      abort: async () => reject(new TypeError("Failed to fetch")),
      continue: ({ headers } = {}) => on(go(headers ? changed(request, headers) : request)),
      fallback: () => on(answerTo(request, others, go)),
    };
    Promise.resolve(rule.handler(route, request)).catch(reject);
  });
}

function changed(request: LightRequest, headers: Record<string, string>): LightRequest {
  return new LightRequest(request.url(), {
    ...{ method: request.method(), headers, body: request.postData() },
  });
}

async function fulfilled({ status, contentType, body, json, response }: Fulfilment): Promise<Response> {
  const text = json === undefined ? (body ?? (await response?.text()) ?? "") : JSON.stringify(json);
  // The agent names each of its answers; a body is whatever the test says.
  const headers = new Headers(response?.headers ?? (json === undefined ? {} : { "x-request-id": "test" }));
  headers.set("content-type", contentType ?? headers.get("content-type") ?? "application/json");
  for (const name of ["content-length", "content-encoding"]) headers.delete(name);
  return new Response(text, { status: status ?? response?.status ?? 200, headers });
}

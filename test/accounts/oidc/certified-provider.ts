/** A provider that others wrote and that is certified: panva's oidc-provider, over HTTPS on loopback, in this process. */
import assert from "node:assert/strict";
import { readFileSync, rmSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { createServer, request } from "node:https";
import { text } from "node:stream/consumers";
import { Provider } from "oidc-provider";
import { scratchDirectory } from "../../../lab/basics/scratch.ts";
import { createAuthority } from "../../../lab/host/certificates.ts";
import { listening } from "../../../lab/host/web-server.ts";
import { origin } from "./device-with-provider.ts";
import { clientId, clientSecret, type Json } from "./lying-provider.ts";

/** A way to set it up. */
export interface ProviderWay {
  /** Behind the origin; with a slash at its end, the issuer has one. */
  readonly path?: string;
  /** Members of the client there, and of the configuration of oidc-provider, besides the usual. */
  readonly client?: Json;
  readonly configuration?: Json;
  /** The claims of the person besides `sub`. */
  readonly claims?: Json;
}

/** The person who signs in there, by the name that they type. */
const login = "ada";

export async function startCertifiedProvider() {
  const { warn, info } = console;
  // It warns of each default.
  Object.assign(console, { warn: () => undefined, info: () => undefined });
  const directory = scratchDirectory();
  const authority = createAuthority(directory);
  const ca = readFileSync(authority.path);
  let here = { path: "", answer: (() => undefined) as ReturnType<Provider["callback"]> };
  const server = await listening(
    createServer(authority.certify("127.0.0.1"), (asked, response) => {
      // As programs do that mount it below a path.
      Object.assign(asked, { originalUrl: asked.url, url: asked.url?.slice(here.path.length) });
      here.answer(asked, response);
    }),
    "https",
    [],
  );
  /** Begins again in another way, and knows nobody any more. Returns its issuer. */
  const become = ({ path = "", client, configuration, claims = {} }: ProviderWay): string => {
    const issuer = `${server.url}${path}`;
    const provider = new Provider(issuer, {
      clients: [
        {
          ...{ client_id: clientId, client_secret: clientSecret, redirect_uris: [`${origin}/oidc`] },
          ...client,
        },
      ],
      ...(Object.keys(claims).length > 0 && {
        findAccount: (_: unknown, sub: string) => ({ accountId: sub, claims: () => ({ sub, ...claims }) }),
      }),
      ...configuration,
    });
    here = { path: path.replace(/\/$/, ""), answer: provider.callback() };
    return issuer;
  };
  return {
    caFile: authority.path,
    become,
    /** A browser, with the cookies that it is given. */
    browser: () => createBrowser(ca),
    stop: async () => {
      await server.stop();
      Object.assign(console, { warn, info });
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** Enough of a browser for the pages of the provider: redirects, cookies and forms. */
function createBrowser(ca: Buffer) {
  const cookies = new Map<string, string>();
  const load = async (
    url: URL,
    body?: URLSearchParams,
  ): Promise<{ answer: IncomingMessage; page: string }> => {
    const headers = {
      cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join("; "),
      ...(body && { "content-type": "application/x-www-form-urlencoded" }),
    };
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      const asked = request(url, { ca, headers, method: body ? "POST" : "GET" }, resolve);
      asked.on("error", reject);
      asked.end(body?.toString());
    });
    for (const cookie of answer.headers["set-cookie"] ?? []) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      cookies.set(name, value);
    }
    return { answer, page: await text(answer) };
  };
  /** Pages that the person saw, by the name of what they are asked. */
  const seen: string[] = [];
  return {
    seen,
    /** Signs in and consents, or cancels at the first page of this name. Returns the query that it comes back with. */
    visit: async (address: string, cancelAt?: string): Promise<string> => {
      let next: { url: URL; body?: URLSearchParams } = { url: new URL(address) };
      for (let step = 0; step < 12; step += 1) {
        const { answer, page } = await load(next.url, next.body);
        const { location } = answer.headers;
        if (location !== undefined) {
          next = { url: new URL(location, next.url) };
          if (next.url.origin === origin) return next.url.search.slice(1);
          continue;
        }
        const prompt = /name="prompt" value="(\w+)"/.exec(page)?.[1] ?? assert.fail(`no form: ${page}`);
        seen.push(prompt);
        const link = prompt === cancelAt ? /href="([^"]*abort)"/ : /action="([^"]+)"/;
        const target = new URL(link.exec(page)?.[1] ?? assert.fail(page), next.url);
        const body = new URLSearchParams({ prompt, login, password: "any" });
        next = prompt === cancelAt ? { url: target } : { url: target, body };
      }
      return assert.fail("the provider leads nowhere");
    },
  };
}

/** Endpoints and answers in the browser that lead elsewhere or send too much, each with the reason for its refusal. */
import { gzipSync } from "node:zlib";
import { provider } from "./device-with-provider.ts";
import type { Case } from "./false-id-tokens.ts";
import { encoded, type Lies } from "./lying-provider.ts";

const discovery = "/.well-known/openid-configuration";

/** A cloud gives its machine's secrets at this address to all who ask from the machine. */
const elsewhere = "https://169.254.169.254/latest/meta-data";

/** The body that answers all requests of this path, with 200. */
const answering = (asked: string, body: string | Buffer, headers: Record<string, string> = {}): Lies => ({
  answer: (path, response) => {
    if (path !== asked) return false;
    response.writeHead(200, { "content-type": "application/json", ...headers }).end(body);
    return true;
  },
});

const redirecting = (asked: string, status: number): Lies => ({
  answer: (path, response) => {
    if (path !== asked) return false;
    response.writeHead(status, { location: elsewhere }).end();
    return true;
  },
});

const naming = (endpoint: string, address: unknown): Lies => ({
  discovery: (doc) => ({ ...doc, [endpoint]: address }),
});

/** The userinfo endpoint is asked only for groups that the ID token does not have. */
const withoutGroups: Lies = { claims: ({ groups: _, ...truth }) => truth };

const unsignedGroups = `${encoded({ alg: "none" })}.${encoded({ sub: "person-1", groups: ["admins"] })}.`;

const mebibyte = JSON.stringify({ text: "x".repeat(1024 * 1024) });

/** Sends for as long as the device reads. */
const endless = (asked: string): Lies => ({
  answer: (path, response) => {
    if (path !== asked) return false;
    response.writeHead(200, { "content-type": "application/json" });
    const piece = " ".repeat(16 * 1024);
    const send = (): void => {
      while (!response.destroyed && response.write(piece));
      if (!response.destroyed) response.once("drain", send);
    };
    send();
    return true;
  },
});

export const falseEndpoints: readonly Case[] = [
  [
    "a token endpoint whose name has two kilobytes",
    naming("token_endpoint", `https://${"x".repeat(2_048)}.example/token`),
    "endpoint",
  ],
  ["a redirect of the token endpoint, with the code (307)", redirecting("/token", 307), "endpoint"],
  ["a redirect of the token endpoint (302)", redirecting("/token", 302), "endpoint"],
  ["a redirect of the keys", redirecting("/keys", 302), "endpoint"],
  [
    "a redirect of the userinfo endpoint, with the access token",
    { ...withoutGroups, ...redirecting("/userinfo", 307) },
    "endpoint",
  ],
  ["keys over plain http", naming("jwks_uri", provider.issuer.replace("https", "http")), "endpoint"],
  [
    "an authorization endpoint over plain http",
    naming("authorization_endpoint", provider.issuer.replace("https", "http")),
    "endpoint",
  ],
  [
    "a userinfo endpoint elsewhere (SSRF)",
    { ...withoutGroups, ...naming("userinfo_endpoint", elsewhere) },
    "endpoint",
  ],
  [
    "groups in a JWT of the userinfo endpoint that no one has signed",
    { ...withoutGroups, ...answering("/userinfo", unsignedGroups, { "content-type": "application/jwt" }) },
    "malformed",
  ],
  [
    "a quarter of a megabyte as the authorization endpoint",
    naming("authorization_endpoint", `${elsewhere}/${"x".repeat(200_000)}`),
    "endpoint",
  ],
  ["no authorization endpoint", naming("authorization_endpoint", undefined), "endpoint"],
  ["no token endpoint", naming("token_endpoint", undefined), "malformed"],
  ["no address of keys", naming("jwks_uri", undefined), "malformed"],
  ["megabytes of discovery", answering(discovery, mebibyte), "size"],
  ["megabytes of tokens", answering("/token", mebibyte), "size"],
  ["an answer of the token endpoint without an end", endless("/token"), "size"],
  [
    "megabytes that travel as a kilobyte (compression)",
    answering("/token", gzipSync(mebibyte), { "content-encoding": "gzip" }),
    "size",
  ],
  ["discovery that is no object", answering(discovery, "[]"), "malformed"],
  ["two answers in one: the code twice", { back: (query) => query.append("code", "other") }, "malformed"],
  [
    "two answers in one: the state twice",
    { back: (query) => query.append("state", query.get("state") ?? "") },
    "malformed",
  ],
  ["two issuers of the answer", { back: (query) => query.append("iss", provider.issuer) }, "malformed"],
  [
    "an ID token in the address (implicit flow)",
    { back: (query) => query.set("id_token", "e30.e30.e30") },
    "malformed",
  ],
  [
    "an answer in an answer instead of a state (JARM)",
    {
      back: (query) => {
        query.delete("state");
        query.set("response", "e30.e30.e30");
      },
    },
    "flow",
  ],
];

import {
  createHash,
  createPrivateKey,
  createPublicKey,
  type KeyObject,
  sign as signBytes,
} from "node:crypto";
import { rmSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import { pemOfNewKey } from "../../../lab/basics/new-key.ts";
import { scratchDirectory } from "../../../lab/basics/scratch.ts";
import { createAuthority } from "../../../lab/host/certificates.ts";
import { listening, type WebServer } from "../../../lab/host/web-server.ts";

/** A JSON object, as the provider sends it. */
export type Json = Record<string, unknown>;

/** The provider gives these false answers. Each function gets the true one. */
export interface Lies {
  discovery?: (truth: Json) => Json;
  /** The claims of the ID token, and its header. */
  claims?: (truth: Json) => Json;
  header?: (truth: Json) => Json;
  /** The whole ID token, instead of signing. */
  idToken?: (header: Json, claims: Json) => string;
  userinfo?: (truth: Json) => Json;
  /** The answer of the token endpoint, and the published keys. */
  token?: (truth: Json) => Json;
  keys?: (truth: Json) => Json;
  /** The query that comes back with the browser. */
  back?: (truth: URLSearchParams) => void;
  /** Instead of any answer to requests of this path. */
  answer?: (path: string, response: ServerResponse) => boolean;
  skipsPkce?: true;
}

interface Issued {
  readonly challenge: string;
  readonly nonce: string;
  readonly redirectUri: string;
  readonly person: Json;
  readonly prompt: string | null;
}

export const clientId = "edge-7";
export const clientSecret = "a secret of the plant";

const accessToken = "at-1";

/** ES256 signs the ID token, so this is the left half of SHA-256 (OpenID Connect Core 1.0 §3.1.3.6). */
const half = createHash("sha256").update(accessToken).digest().subarray(0, 16);
const accessTokenHash = half.toString("base64url");

/**
 * An OpenID provider of the test's own, over HTTPS on loopback. It is honest until `lie` is called. `nowSeconds`: its
 * clock.
 */
export async function startLyingProvider(nowSeconds: () => number) {
  const directory = scratchDirectory();
  const authority = createAuthority(directory);
  const codes = new Map<string, Issued>();
  let lies: Lies = {};
  let key = newKey();
  let made = 0;
  const requests: IncomingMessage[] = [];
  let server: WebServer | undefined;
  const issuer = (): string => server?.url ?? "";
  const truth: Readonly<Record<string, (body: URLSearchParams, request: IncomingMessage) => Json | null>> = {
    "/.well-known/openid-configuration": () => (lies.discovery ?? same)(discoveryOf(issuer())),
    "/keys": () =>
      (lies.keys ?? same)({
        keys: [{ ...key.publicKey.export({ format: "jwk" }), ...key.names, use: "sig" }],
      }),
    "/token": (body, request) => {
      const issued = redeemed(codes, body, request, lies.skipsPkce === true);
      if (!issued) return null;
      const { groups, ...claims } = issued.person;
      const now = Math.floor(nowSeconds());
      const times = { iat: now, exp: now + 300, auth_time: issued.prompt === "login" ? now : now - 3_600 };
      const token = { iss: issuer(), aud: clientId, nonce: issued.nonce, at_hash: accessTokenHash };
      const honest = { ...token, ...times, ...claims, ...(groups !== undefined && { groups }) };
      const header = (lies.header ?? same)({ alg: "ES256", kid: key.names.kid });
      const payload = (lies.claims ?? same)(honest);
      const id_token = lies.idToken?.(header, payload) ?? signed(header, payload, key.privateKey);
      return (lies.token ?? same)({
        ...{ access_token: accessToken, token_type: "Bearer", expires_in: 300, id_token },
      });
    },
    "/userinfo": () => (lies.userinfo ?? same)({ sub: "person-1", groups: ["operators"] }),
  };
  server = await listening(
    createServer(authority.certify("127.0.0.1"), (request, response) => {
      requests.push(request);
      let text = "";
      request.on("data", (piece: Buffer) => {
        text += piece.toString();
      });
      request.on("end", () => {
        const path = request.url ?? "";
        if (lies.answer?.(path, response)) return;
        const answer = truth[path]?.(new URLSearchParams(text), request);
        response.writeHead(answer ? 200 : 400, { "content-type": "application/json" });
        response.end(JSON.stringify(answer ?? { error: "invalid_grant" }));
      });
    }),
    "https",
    requests,
  );
  const { url, stop } = server;
  return {
    ...{ issuer: url, caFile: authority.path, requests },
    lie: (next: Lies): void => {
      lies = next;
    },
    /** Signs with a new key from now on, and forgets the one before. */
    rotateKeys: (): void => {
      key = newKey();
    },
    /** The public key as text, for those who take it for a shared secret. */
    publicKey: () => key.publicKey.export({ type: "spki", format: "pem" }).toString(),
    /** Signs this person in as a browser does, and returns the query that it comes back with. */
    visit: (authorizationUrl: string, person: Json): string => {
      const asked = new URL(authorizationUrl).searchParams;
      made += 1;
      const code = `code-${made}`;
      codes.set(code, {
        challenge: asked.get("code_challenge") ?? "",
        nonce: asked.get("nonce") ?? "",
        redirectUri: asked.get("redirect_uri") ?? "",
        person: { sub: "person-1", ...person },
        prompt: asked.get("prompt"),
      });
      const back = new URLSearchParams({ code, state: asked.get("state") ?? "", iss: url });
      lies.back?.(back);
      return back.toString();
    },
    stop: async (): Promise<void> => {
      await stop();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

const same = (truth: Json): Json => truth;

let keys = 0;

function newKey() {
  keys += 1;
  const privateKey = createPrivateKey(pemOfNewKey("P-256"));
  return { privateKey, publicKey: createPublicKey(privateKey), names: { kid: `key-${keys}`, alg: "ES256" } };
}

function discoveryOf(issuer: string): Json {
  return {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    userinfo_endpoint: `${issuer}/userinfo`,
    jwks_uri: `${issuer}/keys`,
    response_types_supported: ["code"],
    subject_types_supported: ["public"],
    id_token_signing_alg_values_supported: ["ES256"],
    code_challenge_methods_supported: ["S256"],
    authorization_response_iss_parameter_supported: true,
  };
}

/** RFC 6749 §4.1.3 and RFC 7636 §4.6: a code once, of this client, with its redirect URI and verifier. */
function redeemed(
  codes: Map<string, Issued>,
  body: URLSearchParams,
  { headers }: IncomingMessage,
  skipsPkce: boolean,
): Issued | undefined {
  const code = body.get("code") ?? "";
  const issued = codes.get(code);
  codes.delete(code);
  const secret = Buffer.from((headers.authorization ?? "").replace("Basic ", ""), "base64").toString();
  const isClient = decodeURIComponent(secret.replaceAll("+", " ")) === `${clientId}:${clientSecret}`;
  const challenge = createHash("sha256")
    .update(body.get("code_verifier") ?? "")
    .digest("base64url");
  const isBound =
    issued?.redirectUri === body.get("redirect_uri") && (skipsPkce || issued?.challenge === challenge);
  return isClient && isBound ? issued : undefined;
}

/** RFC 7515 §3.1. */
export function encoded(part: object): string {
  return Buffer.from(JSON.stringify(part)).toString("base64url");
}

/** RFC 7515 §3.1, by ES256. */
export function signed(header: Json, claims: Json, key: KeyObject): string {
  const text = `${encoded(header)}.${encoded(claims)}`;
  const signature = signBytes("sha256", Buffer.from(text), { key, dsaEncoding: "ieee-p1363" });
  return `${text}.${signature.toString("base64url")}`;
}

import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { beforeEach, describe, it } from "node:test";
import { codeFrom, context, errorFrom } from "../../../lab/simulated/virtual-sign-in.ts";
import { createFlows } from "../../../src/accounts/oidc/flows.ts";
import { createSignIn } from "../../../src/accounts/sign-in/sign-in.ts";
import {
  claims,
  type DeviceWithProvider,
  device,
  host,
  operator,
  origin,
  provider,
} from "./device-with-provider.ts";
import { falseEndpoints } from "./false-endpoints.ts";
import { type Case, falseIdTokens } from "./false-id-tokens.ts";
import { clientId, encoded, type Json, type Lies } from "./lying-provider.ts";

let here: DeviceWithProvider;

/** Signs in at a provider with these false answers. Returns the reason of the refusal; no account is made. */
async function reasonOf(lies: Lies, who: Json = operator): Promise<string> {
  provider.lie(lies);
  const error = await errorFrom(here.signIn(who));
  assert.equal(here.accounts.all().length, 1, "an account was made");
  assert.ok((error?.message ?? "").length < 1_024, "strangers are sent what the provider says, at length");
  return `${error?.code}: ${error?.details.reason}`;
}

describe("a provider that lies, or another who answers for it", () => {
  const cases: readonly Case[] = [
    ["a forged state", { back: (query) => query.set("state", "A".repeat(43)) }, "flow"],
    ["no state", { back: (query) => query.delete("state") }, "flow"],
    ["a forged code", { back: (query) => query.set("code", "code-of-another") }, "invalid_grant"],
    ["no code", { back: (query) => query.delete("code") }, "malformed"],
    ["an error instead of a code", { back: (query) => query.set("error", "access_denied") }, "access_denied"],
    [
      "an error of two kilobytes instead of a code",
      { back: (query) => query.set("error", "x".repeat(2_048)) },
      "provider_error",
    ],
    [
      "issuer mix-up: iss of another (RFC 9207)",
      { back: (query) => query.set("iss", "https://evil.example") },
      "issuer",
    ],
    ["issuer mix-up: no iss although it is promised", { back: (query) => query.delete("iss") }, "issuer"],
    ["an ID token of another issuer", claims({ iss: "https://evil.example" }), "issuer"],
    [
      "discovery of another issuer",
      { discovery: (doc) => ({ ...doc, issuer: "https://evil.example" }) },
      "issuer",
    ],
    ["a wrong nonce", claims({ nonce: "another" }), "nonce"],
    ["no nonce", claims({ nonce: undefined }), "malformed"],
    ["another audience", claims({ aud: "another-client" }), "audience"],
    ["a further audience without azp", claims({ aud: [clientId, "another-client"] }), "audience"],
    ["azp of another client", claims({ azp: "another-client" }), "authorized_party"],
    ["an expired ID token", claims({ exp: host.time.nowSeconds() - 31 }), "expired"],
    [
      "an ID token of yesterday that has not expired",
      claims({ iat: host.time.nowSeconds() - 86_400 }),
      "expired",
    ],
    ["an ID token of tomorrow", claims({ iat: host.time.nowSeconds() + 86_400 }), "expired"],
    ["no subject", claims({ sub: undefined }), "malformed"],
    ["a subject of a kilobyte", claims({ sub: "x".repeat(1_024) }), "malformed"],
    ["an at_hash of another access token", claims({ at_hash: "AAAAAAAAAAAAAAAAAAAAAA" }), "at_hash"],
    [
      "alg none",
      { idToken: (header, body) => `${encoded({ ...header, alg: "none" })}.${encoded(body)}.` },
      "algorithm",
    ],
    [
      "alg HS256 with the public key",
      {
        idToken: (header, body) => {
          const text = `${encoded({ ...header, alg: "HS256" })}.${encoded(body)}`;
          return `${text}.${createHmac("sha256", provider.publicKey()).update(text).digest("base64url")}`;
        },
      },
      "algorithm",
    ],
    ["a key that is not published", { header: (header) => ({ ...header, kid: "key-0" }) }, "signature"],
    [
      "a changed claim under a genuine signature",
      {
        idToken: (header, body) =>
          `${encoded(header)}.${encoded({ ...body, groups: ["admins"] })}.${"A".repeat(86)}`,
      },
      "signature",
    ],
    [
      "a critical header that is not known",
      { header: (header) => ({ ...header, crit: ["b64"] }) },
      "algorithm",
    ],
    [
      "PKCE downgrade: plain alone",
      { discovery: (doc) => ({ ...doc, code_challenge_methods_supported: ["plain"] }) },
      "pkce",
    ],
    [
      "an authorization endpoint elsewhere (open redirect)",
      { discovery: (doc) => ({ ...doc, authorization_endpoint: "https://evil.example/authorize" }) },
      "endpoint",
    ],
    [
      "an authorization endpoint that is a script",
      { discovery: (doc) => ({ ...doc, authorization_endpoint: "javascript:alert(1)" }) },
      "endpoint",
    ],
    [
      "a token endpoint on this device (SSRF)",
      { discovery: (doc) => ({ ...doc, token_endpoint: "https://127.0.0.1:8443/api/system" }) },
      "endpoint",
    ],
    [
      "a token endpoint over plain http",
      { discovery: (doc) => ({ ...doc, token_endpoint: provider.issuer.replace("https", "http") }) },
      "endpoint",
    ],
    [
      "keys elsewhere (SSRF)",
      { discovery: (doc) => ({ ...doc, jwks_uri: "https://169.254.169.254/latest/meta-data" }) },
      "endpoint",
    ],
    [
      "a redirect of the discovery elsewhere (SSRF)",
      {
        answer: (path, response) => {
          if (!path.startsWith("/.well-known")) return false;
          response.writeHead(302, { location: "https://169.254.169.254/latest/meta-data" }).end();
          return true;
        },
      },
      "endpoint",
    ],
    [
      "megabytes of keys",
      {
        answer: (path, response) => {
          if (path !== "/keys") return false;
          response.writeHead(200, { "content-type": "application/json" });
          response.end(`{"keys":[],"x":"${"x".repeat(2 * 1024 * 1024)}"}`);
          return true;
        },
      },
      "size",
    ],
    [
      "a page instead of JSON",
      {
        answer: (path, response) => {
          if (path !== "/token") return false;
          response.writeHead(200, { "content-type": "text/html" }).end("<h1>Welcome</h1>");
          return true;
        },
      },
      "malformed",
    ],
  ];
  for (const [name, lies, reason] of [...cases, ...falseIdTokens, ...falseEndpoints])
    it(`signs no one in by ${name}`, async () => {
      // A device keeps for a while what the provider said of itself.
      here = await device();
      assert.equal(await reasonOf(lies), `provider_refused: ${reason}`);
    });
});

describe("an answer of the provider", () => {
  beforeEach(async () => {
    provider.lie({});
    here = await device();
  });

  it("signs no one in by a code that was used before (replay)", async () => {
    const { authorization_url, flow_token } = await here.begin();
    const query = provider.visit(authorization_url, operator);
    await here.singleSignOn.finish({ flow_token, query }, context);
    const again = await errorFrom(here.singleSignOn.finish({ flow_token, query }, context));
    assert.equal(again?.details.reason, "flow");
    const other = await here.begin();
    const state = new URL(other.authorization_url).searchParams.get("state") ?? "";
    const mixed = new URLSearchParams(query);
    mixed.set("state", state);
    const replayed = { flow_token: other.flow_token, query: mixed.toString() };
    assert.equal(
      (await errorFrom(here.singleSignOn.finish(replayed, context)))?.details.reason,
      "invalid_grant",
    );
  });

  it("signs no one in by a stolen code: the verifier is another flow's (PKCE)", async () => {
    const victim = await here.begin();
    const stolen = new URLSearchParams(provider.visit(victim.authorization_url, operator));
    const attacker = await here.begin();
    stolen.set("state", new URL(attacker.authorization_url).searchParams.get("state") ?? "");
    const { flow_token } = attacker;
    const injected = await errorFrom(here.singleSignOn.finish({ flow_token, query: `${stolen}` }, context));
    assert.equal(injected?.details.reason, "invalid_grant");
    // At a provider that leaves PKCE out the nonce still tells.
    const second = await here.begin();
    const other = new URLSearchParams(provider.visit(second.authorization_url, operator));
    const third = await here.begin();
    other.set("state", new URL(third.authorization_url).searchParams.get("state") ?? "");
    provider.lie({ skipsPkce: true });
    const returned = { flow_token: third.flow_token, query: `${other}` };
    assert.equal((await errorFrom(here.singleSignOn.finish(returned, context)))?.details.reason, "nonce");
  });

  it("signs no one in by a code that was asked for without PKCE (stripped from the browser's address)", async () => {
    const { authorization_url, flow_token } = await here.begin();
    const stripped = new URL(authorization_url);
    for (const name of ["code_challenge", "code_challenge_method"]) stripped.searchParams.delete(name);
    const query = provider.visit(stripped.href, operator);
    // The device sends its verifier all the same, which an honest provider refuses then (RFC 9700 §4.8.2).
    const refused = await errorFrom(here.singleSignOn.finish({ flow_token, query }, context));
    assert.deepEqual([refused?.code, refused?.details.reason], ["provider_refused", "invalid_grant"]);
  });

  it("signs no one in by an answer for another browser, which can still use it", async () => {
    const { authorization_url, flow_token } = await here.begin();
    const query = provider.visit(authorization_url, operator);
    for (const wrong of ["", `stf_${"A".repeat(32)}`, `${flow_token}A`]) {
      const refused = await errorFrom(here.singleSignOn.finish({ flow_token: wrong, query }, context));
      assert.equal(refused?.details.reason, "flow");
    }
    assert.equal(
      (await here.singleSignOn.finish({ flow_token, query }, context)).session.user.role,
      "operator",
    );
  });

  it("signs no one in by an attacker's own answer in a victim's browser (login CSRF)", async () => {
    const attacker = await here.begin();
    const query = provider.visit(attacker.authorization_url, { ...operator, sub: "attacker" });
    const victim = await here.begin();
    const given = { flow_token: victim.flow_token, query };
    assert.equal((await errorFrom(here.singleSignOn.finish(given, context)))?.details.reason, "flow");
  });

  it("leads no one back to an origin that the host file does not name (open redirect)", async () => {
    for (const wrong of ["https://evil.example", `${origin}.evil.example`, "null", `${origin}/`])
      assert.equal(await codeFrom(here.singleSignOn.begin(wrong, null, context)), "validation_failed");
    const error = await errorFrom(here.singleSignOn.begin("null", null, context));
    assert.equal(error?.details.errors?.[0]?.pointer, "/origin");
  });

  it("signs users in with a key that the provider has just changed to", async () => {
    await here.signIn();
    provider.rotateKeys();
    assert.equal((await here.signIn()).session.user.role, "operator");
  });

  it("signs no one in by a key that the provider has withdrawn", async () => {
    let former = "";
    provider.lie({
      token: (truth) => {
        former = String(truth.id_token);
        provider.rotateKeys();
        return truth;
      },
    });
    assert.equal((await errorFrom(here.signIn()))?.details.reason, "signature");
    assert.notEqual(former, "");
  });

  it("is awaited for ten minutes, and not across a step of the clock", async () => {
    const late = await here.begin();
    const query = provider.visit(late.authorization_url, operator);
    host.pass(600);
    const over = here.singleSignOn.finish({ flow_token: late.flow_token, query }, context);
    assert.equal((await errorFrom(over))?.details.reason, "flow");
    const begun = await here.begin();
    const back = provider.visit(begun.authorization_url, operator);
    host.step(3_600);
    const stepped = await errorFrom(
      here.singleSignOn.finish({ flow_token: begun.flow_token, query: back }, context),
    );
    host.step(-3_600);
    assert.equal(stepped?.details.reason, "expired");
  });

  it("is asked for once in five minutes for many flows that strangers begin", async () => {
    const before = provider.requests.length;
    for (let flow = 0; flow < 5; flow += 1) await here.begin();
    host.pass(299);
    await here.begin();
    assert.equal(provider.requests.length - before, 1);
    host.pass(1);
    await here.begin();
    assert.equal(provider.requests.length - before, 2);
  });

  it("is waited for in no more than 256 flows: a client that begins many pushes out its own", () => {
    const flows = createFlows(host.uptime);
    const of = (state: string) => ({
      ...{ state, nonce: "", verifier: "", redirectUri: "", sessionId: null, epoch: 1 },
      startedUptime: host.uptime(),
    });
    const other = flows.open(of("other"), "192.0.2.8");
    const tokens = Array.from({ length: 300 }, (_, index) => flows.open(of(`${index}`), "192.0.2.7"));
    const left = tokens.filter((token, index) => flows.take(`${index}`, token) !== undefined);
    assert.equal(left.length, 255);
    assert.equal(flows.take("other", tokens[0] ?? ""), undefined);
    assert.equal(flows.take("other", other)?.state, "other");
  });

  it("whose state was not issued here slows a client down: it may be a guess", async () => {
    const guess = () =>
      codeFrom(here.singleSignOn.finish({ flow_token: "stf_0", query: "state=0" }, context));
    const codes: string[] = [];
    for (let attempt = 0; attempt < 22; attempt += 1) codes.push(await guess());
    assert.deepEqual(codes.slice(0, 20), Array(20).fill("provider_refused"));
    assert.equal(codes.at(-1), "too_many_attempts");
  });

  it("is taken where 22 wrong names from the same address (NAT) have been slowed down, and many have failed", async () => {
    const challenges = {
      open: () => "",
      find: () => undefined,
      failed: () => undefined,
      close: () => undefined,
    };
    const local = createSignIn({ ...here, challenges });
    const codes: string[] = [];
    for (let name = 0; name < 22; name += 1)
      codes.push(await codeFrom(local.login({ username: `user-${name}`, password: "x" }, context)));
    assert.equal(codes.at(-1), "too_many_attempts");
    assert.equal((await here.signIn()).session.user.role, "operator");
    provider.lie(claims({ nonce: "another" }));
    for (let attempt = 0; attempt < 22; attempt += 1)
      assert.equal(await codeFrom(here.signIn()), "provider_refused");
    provider.lie({});
    assert.equal((await here.signIn()).session.user.role, "operator");
  });

  it("may be of a clock that is 30 s ahead, also in the time of the sign-in", async () => {
    const now = host.time.nowSeconds();
    provider.lie(claims({ auth_time: now + 30 }));
    assert.equal(await codeFrom(here.signIn()), "done");
    provider.lie(claims({ auth_time: now + 31 }));
    assert.equal((await errorFrom(here.signIn()))?.details.reason, "auth_time");
  });

  it("of discovery that cannot be used is kept for ten seconds: strangers do not reach the provider with each try", async () => {
    provider.lie({ discovery: (doc) => ({ ...doc, issuer: "https://evil.example" }) });
    here = await device();
    const before = provider.requests.length;
    for (let flow = 0; flow < 5; flow += 1) assert.equal(await codeFrom(here.begin()), "provider_refused");
    assert.equal(provider.requests.length - before, 1);
    provider.lie({});
    host.pass(9);
    assert.equal(await codeFrom(here.begin()), "provider_refused");
    host.pass(1);
    assert.equal(await codeFrom(here.begin()), "done");
  });

  it("is waited for only so long: one that stalls is given up, and the device stays free", async (test) => {
    provider.lie({ answer: (path) => path === "/token" });
    const finish = async () => {
      const { authorization_url, flow_token } = await here.begin();
      const query = provider.visit(authorization_url, operator);
      return (clientKey = context.clientKey) =>
        errorFrom(here.singleSignOn.finish({ flow_token, query }, { ...context, clientKey }));
    };
    const flows = [await finish(), await finish(), await finish(), await finish(), await finish()];
    test.mock.timers.enable({ apis: ["setTimeout"] });
    const before = provider.requests.length;
    const work = flows.slice(0, 3).map((flow) => flow());
    while (provider.requests.length < before + 3) await new Promise(setImmediate);
    // One place is not for the same client.
    const fourth = await flows[3]?.();
    assert.deepEqual([fourth?.code, fourth?.details.retryAfterSeconds], ["hashing_busy", 1]);
    work.push(flows[3]?.("192.0.2.8") ?? assert.fail("there are five"));
    while (provider.requests.length < before + 4) await new Promise(setImmediate);
    assert.equal((await flows[4]?.("192.0.2.9"))?.code, "hashing_busy");
    test.mock.timers.tick(10_001);
    const codes = (await Promise.all(work)).map((error) => error?.code);
    assert.deepEqual(codes, Array(4).fill("provider_unreachable"));
    test.mock.timers.reset();
    provider.lie({});
    assert.equal((await here.signIn()).session.user.role, "operator");
  });

  it("is not asked where its certificate is not trusted, or it is on this device and may not be", async () => {
    here = await device({ caFile: undefined });
    const untrusted = await errorFrom(here.begin());
    assert.equal(untrusted?.code, "provider_unreachable");
    assert.match(untrusted?.message ?? "", /oidc\.ca_file/);
    here = await device({ allowLocalServers: false });
    assert.equal((await errorFrom(here.begin()))?.details.reason, "endpoint");
  });
});

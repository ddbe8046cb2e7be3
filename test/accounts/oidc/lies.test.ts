import assert from "node:assert/strict";
import { beforeEach, describe, it } from "node:test";
import { codeFrom, context, errorFrom } from "../../../lab/simulated/virtual-sign-in.ts";
import { createFlows } from "../../../src/accounts/oidc/flows.ts";
import { createSignIn } from "../../../src/accounts/sign-in/sign-in.ts";
import { noChallenges } from "../sessions-at.ts";
import {
  claims,
  type DeviceWithProvider,
  device,
  host,
  operator,
  origin,
  provider,
} from "./device-with-provider.ts";
import { falseAnswers } from "./false-answers.ts";
import type { Json, Lies } from "./lying-provider.ts";

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
  for (const [name, lies, reason] of falseAnswers)
    it(`signs no one in by ${name}`, async () => {
      // A device keeps for a while what the provider said of itself.
      here = await device();
      assert.equal(await reasonOf(lies), `provider_refused: ${reason}`);
    });
});

/** Comes back with this, and returns the reason of the refusal. */
const refusalOf = async (flow_token: string, query: string) =>
  (await errorFrom(here.singleSignOn.finish({ flow_token, query }, context)))?.details.reason;

/** A flow, its state, and what comes back of it. */
async function flow(who: Json = operator) {
  const { authorization_url, flow_token } = await here.begin();
  const state = new URL(authorization_url).searchParams.get("state") ?? "";
  return { flow_token, state, visited: () => provider.visit(authorization_url, who), authorization_url };
}

/** The answer of one flow, with the state of another. */
function mixed(query: string, state: string): string {
  const all = new URLSearchParams(query);
  all.set("state", state);
  return all.toString();
}

describe("an answer of the provider", () => {
  beforeEach(async () => {
    provider.lie({});
    here = await device();
  });

  it("signs no one in by a code that was used before (replay)", async () => {
    const { flow_token, visited } = await flow();
    const query = visited();
    await here.singleSignOn.finish({ flow_token, query }, context);
    assert.equal(await refusalOf(flow_token, query), "flow");
    const other = await flow();
    assert.equal(await refusalOf(other.flow_token, mixed(query, other.state)), "invalid_grant");
  });

  it("signs no one in by a stolen code: the verifier is another flow's (PKCE)", async () => {
    const [stolen, attacker, other, third] = [await flow(), await flow(), await flow(), await flow()];
    const given = mixed(stolen.visited(), attacker.state);
    assert.equal(await refusalOf(attacker.flow_token, given), "invalid_grant");
    // At a provider that leaves PKCE out the nonce still tells.
    const second = mixed(other.visited(), third.state);
    provider.lie({ skipsPkce: true });
    assert.equal(await refusalOf(third.flow_token, second), "nonce");
  });

  it("signs no one in by a code that was asked for without PKCE (stripped from the browser's address)", async () => {
    const { authorization_url, flow_token } = await flow();
    const stripped = new URL(authorization_url);
    for (const name of ["code_challenge", "code_challenge_method"]) stripped.searchParams.delete(name);
    // The device sends its verifier all the same, which an honest provider refuses then (RFC 9700 §4.8.2).
    assert.equal(await refusalOf(flow_token, provider.visit(stripped.href, operator)), "invalid_grant");
  });

  it("signs no one in by an answer for another browser, which can still use it", async () => {
    const { flow_token, visited } = await flow();
    const query = visited();
    for (const wrong of ["", `stf_${"A".repeat(32)}`, `${flow_token}A`])
      assert.equal(await refusalOf(wrong, query), "flow");
    const { session } = await here.singleSignOn.finish({ flow_token, query }, context);
    assert.equal(session.user.role, "operator");
  });

  it("signs no one in by an attacker's own answer in a victim's browser (login CSRF)", async () => {
    const query = (await flow({ ...operator, sub: "attacker" })).visited();
    assert.equal(await refusalOf((await flow()).flow_token, query), "flow");
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
    const late = await flow();
    const query = late.visited();
    host.pass(600);
    assert.equal(await refusalOf(late.flow_token, query), "flow");
    const begun = await flow();
    const back = begun.visited();
    host.step(3_600);
    const stepped = await refusalOf(begun.flow_token, back);
    host.step(-3_600);
    assert.equal(stepped, "expired");
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
    const local = createSignIn({ ...here, challenges: noChallenges });
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

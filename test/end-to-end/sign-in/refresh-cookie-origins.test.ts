import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { type CheckedAgent, startCheckedAgent } from "../../../lab/agents/checked-agent.ts";
import { adminName, adminPassword, outcome } from "../../../lab/agents/running-agent.ts";
import { cookieOf, type Kept, keptOf, ownPage } from "../../../lab/agents/set-cookie.ts";
import { ofSuite } from "../../../lab/basics/ending.ts";
import { asRoot, writeHostFile } from "../../../lab/host/host-file-of-root.ts";

const body = { username: adminName, password: adminPassword, refresh: "cookie" };

describe("the refresh cookie counts only for pages of this very origin", () => {
  const fresh = async () => keptOf(await agent.call("POST", "/api/auth/login", { body }));
  const byCookie = (path: string, kept: Kept, headers: Record<string, string>) =>
    agent.call("POST", `/api/auth/${path}`, { body: {}, headers: { ...kept.headers, ...headers } });
  const isGood = async (kept: Kept): Promise<boolean> =>
    (await byCookie("refresh", kept, ownPage)).status === 200;
  const agent = ofSuite(startCheckedAgent);
  before(() => agent.signedInAdmin());

  /** By what the request says of where it comes from. */
  const foreign: Record<string, (port: number) => Record<string, string>> = {
    "nothing at all": () => ({}),
    "a site elsewhere": () => ({ "sec-fetch-site": "cross-site" }),
    "another port of this host, as browsers call it": () => ({ "sec-fetch-site": "same-site" }),
    "the address bar": () => ({ "sec-fetch-site": "none" }),
    "a fetch site of its own making": () => ({ "sec-fetch-site": "Same-Origin" }),
    "another site with an origin that looks own": (port) => ({
      "sec-fetch-site": "cross-site",
      origin: `http://127.0.0.1:${port}`,
    }),
    "another port": (port) => ({ origin: `http://127.0.0.1:${port + 1}` }),
    "no port": () => ({ origin: "http://127.0.0.1" }),
    "another scheme": (port) => ({ origin: `https://127.0.0.1:${port}` }),
    "another host": (port) => ({ origin: `http://localhost:${port}` }),
    "a host that begins alike": (port) => ({ origin: `http://127.0.0.1:${port}.example.net` }),
    "an origin with a user": (port) => ({ origin: `http://a@127.0.0.1:${port}` }),
    "an origin with a path": (port) => ({ origin: `http://127.0.0.1:${port}/` }),
    "an opaque origin": () => ({ origin: "null" }),
    "an empty origin": () => ({ origin: "" }),
    "an origin that is garbage": () => ({ origin: "::::" }),
    "two origins": (port) => ({ origin: `http://127.0.0.1:${port} http://127.0.0.1:${port}` }),
  };
  for (const [where, headers] of Object.entries(foreign)) {
    it(`not from ${where} (cross-site request forgery)`, async () => {
      const kept = await fresh();
      for (const path of ["refresh", "logout"]) {
        const answer = await byCookie(path, kept, headers(agent.port));
        assert.deepEqual([answer.status, answer.json.code], [403, "forbidden"], path);
        assert.equal(answer.headers["set-cookie"], undefined, "a stranger's request clears nothing");
      }
      assert.ok(await isGood(kept), "the session is untouched");
    });
  }
  it("by the Origin header where a browser says nothing of the site", async () => {
    const origin = { origin: `http://127.0.0.1:${agent.port}` };
    const answer = await byCookie("refresh", await fresh(), origin);
    assert.equal(answer.status, 200);
  });
  for (const type of ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"]) {
    it(`and not with the content type of a form: ${type}`, async () => {
      const kept = await fresh();
      for (const path of ["refresh", "logout"]) {
        const headers = { ...ownPage, "content-type": type };
        assert.equal(await outcome(byCookie(path, kept, headers)), "415 unsupported_media_type", path);
      }
      assert.ok(await isGood(kept), "the session is untouched");
    });
  }
});

describe("the refresh cookie behind a proxy that ends TLS", asRoot, () => {
  let agent: CheckedAgent;
  const hostFile = writeHostFile({ trusted_proxies: ["127.9.0.1"] });
  const said = { "x-forwarded-proto": "https" };
  before(async () => {
    agent = await startCheckedAgent({ arguments: ["--host-file", hostFile.path] });
    await agent.signedInAdmin();
  });
  after(async () => {
    await agent.dispose();
    hostFile.remove();
  });
  const login = (from: string, headers: Record<string, string> = said) =>
    agent.call("POST", "/api/auth/login", { body, from, headers });

  it("is Secure when a trusted proxy says https, and only then", async () => {
    assert.ok(cookieOf(await login("127.9.0.1")).attributes.includes("Secure"), "https");
    for (const proto of ["http", "HTTPS", "https,http", "wss", ""]) {
      const { attributes } = cookieOf(await login("127.9.0.1", { "x-forwarded-proto": proto }));
      assert.ok(!attributes.includes("Secure"), proto);
    }
    assert.ok(!cookieOf(await login("127.9.0.1", {})).attributes.includes("Secure"), "not said");
  });

  it("is not Secure when another program says https", async () => {
    assert.ok(!cookieOf(await login("127.9.0.2")).attributes.includes("Secure"), "not trusted");
  });

  it("counts for pages of the https origin, and not for those of http", async () => {
    const { headers } = keptOf(await login("127.9.0.1"));
    const refresh = (scheme: string) =>
      agent.call("POST", "/api/auth/refresh", {
        body: {},
        from: "127.9.0.1",
        headers: { ...said, ...headers, origin: `${scheme}://127.0.0.1:${agent.port}` },
      });
    assert.equal((await refresh("http")).status, 403);
    const answer = await refresh("https");
    assert.equal(answer.status, 200);
    assert.ok(cookieOf(answer).attributes.includes("Secure"), "also when it is rotated");
  });
});

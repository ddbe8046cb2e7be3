import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { startCheckedAgent } from "../../../lab/agents/checked-agent.ts";
import { adminName, adminPassword, outcome } from "../../../lab/agents/running-agent.ts";
import { cookieOf, type Kept, keptOf, ownPage } from "../../../lab/agents/set-cookie.ts";
import { endOfSuite, ofSuite } from "../../../lab/basics/ending.ts";
import { asRoot, writeHostFile } from "../../../lab/host/host-file-of-root.ts";

const body = { username: adminName, password: adminPassword, refresh: "cookie" };

describe("the refresh cookie counts only for pages of this very origin", () => {
  const agent = ofSuite(startCheckedAgent);
  before(() => agent.signedInAdmin());
  const fresh = async () => keptOf(await agent.call("POST", "/api/auth/login", { body }));
  const byCookie = (path: string, kept: Kept, headers: Record<string, string>) =>
    agent.call("POST", `/api/auth/${path}`, { body: {}, headers: { ...kept.headers, ...headers } });
  /** Neither route does anything; the session is untouched. */
  const assertRefused = async (headers: Record<string, string>, refusal: string) => {
    const kept = await fresh();
    for (const path of ["refresh", "logout"]) {
      const answer = await byCookie(path, kept, headers);
      assert.equal(await outcome(answer), refusal, path);
      assert.equal(answer.headers["set-cookie"], undefined, "a stranger's request clears nothing");
    }
    assert.equal((await byCookie("refresh", kept, ownPage)).status, 200);
  };

  /** By what the request says of where it comes from; PORT: the agent's, NEXT: another. */
  const foreign: Record<string, Record<string, string>> = {
    "nothing at all": {},
    "a site elsewhere": { "sec-fetch-site": "cross-site" },
    "another port of this host, as browsers call it": { "sec-fetch-site": "same-site" },
    "the address bar": { "sec-fetch-site": "none" },
    "a fetch site of its own making": { "sec-fetch-site": "Same-Origin" },
    "another site with an origin that looks own": {
      ...{ "sec-fetch-site": "cross-site", origin: "http://127.0.0.1:PORT" },
    },
    "another port": { origin: "http://127.0.0.1:NEXT" },
    "no port": { origin: "http://127.0.0.1" },
    "another scheme": { origin: "https://127.0.0.1:PORT" },
    "another host": { origin: "http://localhost:PORT" },
    "a host that begins alike": { origin: "http://127.0.0.1:PORT.example.net" },
    "an origin with a user": { origin: "http://a@127.0.0.1:PORT" },
    "an origin with a path": { origin: "http://127.0.0.1:PORT/" },
    "an opaque origin": { origin: "null" },
    "an empty origin": { origin: "" },
    "an origin that is garbage": { origin: "::::" },
    "two origins": { origin: "http://127.0.0.1:PORT http://127.0.0.1:PORT" },
  };
  for (const [where, { origin, ...others }] of Object.entries(foreign))
    it(`not from ${where} (cross-site request forgery)`, async () => {
      const { port } = agent;
      const said = origin?.replaceAll("PORT", `${port}`).replace("NEXT", `${port + 1}`);
      await assertRefused({ ...others, ...(said !== undefined && { origin: said }) }, "403 forbidden");
    });
  it("by the Origin header where a browser says nothing of the site", async () => {
    const origin = { origin: `http://127.0.0.1:${agent.port}` };
    assert.equal((await byCookie("refresh", await fresh(), origin)).status, 200);
  });
  for (const type of ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"])
    it(`and not with the content type of a form: ${type}`, () =>
      assertRefused({ ...ownPage, "content-type": type }, "415 unsupported_media_type"));
});

describe("the refresh cookie behind a proxy that ends TLS", asRoot, () => {
  const ending = endOfSuite();
  const proxy = "127.9.0.1";
  const agent = ofSuite(async () => {
    const hostFile = writeHostFile({ trusted_proxies: [proxy] });
    ending.after(async () => hostFile.remove());
    return startCheckedAgent({ arguments: ["--host-file", hostFile.path] });
  });
  before(() => agent.signedInAdmin());
  const login = (from: string, proto?: string) =>
    agent.call("POST", "/api/auth/login", {
      ...{ body, from, headers: proto === undefined ? {} : { "x-forwarded-proto": proto } },
    });
  const isSecure = (answer: Awaited<ReturnType<typeof login>>) =>
    cookieOf(answer).attributes.includes("Secure");

  it("is Secure when a trusted proxy says https, and only then", async () => {
    assert.ok(isSecure(await login(proxy, "https")));
    for (const proto of ["http", "HTTPS", "https,http", "wss", "", undefined])
      assert.ok(!isSecure(await login(proxy, proto)), proto);
    assert.ok(!isSecure(await login("127.9.0.2", "https")), "another program's word");
  });

  it("counts for pages of the https origin, and not for those of http", async () => {
    const { headers } = keptOf(await login(proxy, "https"));
    const refresh = (scheme: string) => {
      const page = { "x-forwarded-proto": "https", origin: `${scheme}://127.0.0.1:${agent.port}` };
      return agent.call("POST", "/api/auth/refresh", {
        ...{ body: {}, from: proxy, headers: { ...headers, ...page } },
      });
    };
    assert.equal((await refresh("http")).status, 403);
    assert.ok(isSecure(await refresh("https")), "also when it is rotated");
  });
});

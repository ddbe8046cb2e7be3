import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { request as httpRequest, type IncomingHttpHeaders } from "node:http";
import { join, relative } from "node:path";
import { describe, it } from "node:test";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { startAgentInProcess } from "../../../lab/agents/agent-in-process.ts";
import { requestText, sendRaw } from "../../../lab/agents/raw-http.ts";
import type { RunningAgent } from "../../../lab/agents/running-agent.ts";
import { ofSuite, temporaryDirectory } from "../../../lab/basics/ending.ts";
import { consolePaths } from "../../../src/contract/schemas/console.ts";
import { createStaticFiles } from "../../../src/http/wire/static-files.ts";

const built = join(import.meta.dirname, "../../../dist/console");

interface Got {
  status: number;
  headers: IncomingHttpHeaders;
  bytes: Buffer;
}

/** The bytes as they are sent, still compressed. */
function get(
  agent: RunningAgent,
  path: string,
  headers: Record<string, string> = {},
  { method = "GET", isLocal = false } = {},
): Promise<Got> {
  const where = isLocal ? { socketPath: agent.socket } : { host: "127.0.0.1", port: agent.port };
  return new Promise((resolve, reject) => {
    const request = httpRequest({ ...where, path, method, headers, agent: false }, async (response) => {
      const bytes = Buffer.concat(await response.toArray());
      resolve({ status: response.statusCode ?? 0, headers: response.headers, bytes });
    });
    request.once("error", reject);
    request.end();
  });
}

const decoders: Record<string, (bytes: Buffer) => Buffer> = {
  br: brotliDecompressSync,
  gzip: gunzipSync,
  identity: (bytes) => bytes,
};

const files = readdirSync(built, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && !/\.(br|gz)$/.test(entry.name))
  .map(({ parentPath, name }) => `/${relative(built, join(parentPath, name))}`);
const assets = files.filter((path) => path.startsWith("/assets/"));
const script = assets.find((path) => path.endsWith(".js")) ?? "";

describe("the console's files", () => {
  const agent = ofSuite(startAgentInProcess);

  it("are the built ones, byte for byte, in every coding", async () => {
    assert.ok(assets.length >= 3, `only ${assets.length} assets were built`);
    for (const path of assets)
      for (const [coding, decode] of Object.entries(decoders)) {
        const { status, headers, bytes } = await get(agent, path, { "accept-encoding": coding });
        assert.deepEqual([status, headers["content-encoding"] ?? "identity"], [200, coding], path);
        assert.deepEqual(decode(bytes), readFileSync(join(built, path)), `${path} as ${coding}`);
        assert.equal(headers["content-length"], String(bytes.length));
      }
  });

  it("lead password managers to the page where the password is changed, and only by that name", async () => {
    const path = "/.well-known/change-password";
    for (const method of ["GET", "HEAD"]) {
      const { status, headers } = await get(agent, path, {}, { method });
      assert.deepEqual([status, headers.location], [302, "/account"]);
    }
    assert.equal((await get(agent, path, {}, { method: "POST" })).status, 405);
    // Managers ask for this besides, to learn if the host answers everything with 200 (W3C, the same document).
    const none = "/.well-known/resource-that-should-not-exist-whose-status-code-should-not-be-200";
    for (const accept of ["*/*", "text/html"]) assert.equal((await get(agent, none, { accept })).status, 404);
  });

  it("are one page at each of the console's paths, which no cache keeps", async () => {
    const page = readFileSync(join(built, "index.html"));
    for (const path of consolePaths) {
      const { status, headers, bytes } = await get(agent, path);
      assert.deepEqual([status, headers["cache-control"]], [200, "no-store"], path);
      assert.equal(headers["content-type"], "text/html; charset=utf-8");
      assert.deepEqual(bytes, page);
    }
    assert.equal((await get(agent, "/users?q=ana&role=admin")).status, 200, "with what a page keeps there");
  });

  it("are the page at the path of any one user, and the documents at their own folder, but nowhere else", async () => {
    for (const [paths, status, typeForPeople] of [
      ["/users/ana /users/%2e%2e /docs /docs/", 200, /^text\/html/],
      // A person gets the page, which says so.
      ["/users/ /users// /users/ana/b /x/users/ana /x/docs /docs/nothing.html /x/api", 404, /^text\/html/],
      ["/api /api/nothing /assets /assets/nothing.js", 404, /json/],
    ] as const)
      for (const path of paths.split(" ")) {
        assert.equal((await get(agent, path)).status, status, path);
        const opened = await get(agent, path, { accept: "text/html" });
        assert.equal(opened.status, status, path);
        assert.match(String(opened.headers["content-type"]), typeForPeople, path);
      }
  });

  it("are kept for a year where their names hold their hash", async () => {
    for (const path of assets) {
      const { headers } = await get(agent, path);
      assert.equal(headers["cache-control"], "public, max-age=31536000, immutable", path);
      assert.match(path, /-[A-Za-z0-9_-]{8}\.(js|css)$/);
    }
  });

  it("say of themselves what they are", async () => {
    const { headers } = await get(agent, script);
    const found = [headers["content-type"], headers["x-content-type-options"]];
    assert.deepEqual(found, ["text/javascript; charset=utf-8", "nosniff"]);
  });

  it("allow what stands in the page itself by its hash, and nothing else inline", async () => {
    const page = readFileSync(join(built, "index.html"), "utf8");
    for (const [directive, tag] of [
      ["script-src", "script"],
      ["style-src", "style"],
    ] as const) {
      const inline = [...page.matchAll(new RegExp(`<${tag}>([^]*?)</${tag}>`, "g"))].map(
        ([, text = ""]) => text,
      );
      assert.equal(inline.length, 1, tag);
      const hashes = inline.map((text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`);
      for (const [path, wanted] of [
        ["/", [`${directive} 'self'`, ...hashes].join(" ")],
        [script, `${directive} 'self'`],
      ] as const) {
        const policy = String((await get(agent, path)).headers["content-security-policy"]);
        assert.ok(policy.split("; ").includes(wanted), `${path}: ${policy}`);
      }
    }
  });

  it("bring the policy that binds the page, and refuse it what it does not need", async () => {
    for (const path of ["/", "/updates", script]) {
      const { headers } = await get(agent, path);
      const policy = String(headers["content-security-policy"]);
      assert.doesNotMatch(policy, /unsafe|\*|https?:/);
      assert.equal(policy.match(/data:/g)?.length, 1, "for pictures alone");
      const directives = policy.split("; ");
      for (const wanted of [
        ...["default-src 'none'", "connect-src 'self'"],
        "img-src 'self' blob: data:",
        ...["base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"],
        ...["require-trusted-types-for 'script'", "trusted-types 'none'"],
      ])
        assert.ok(directives.includes(wanted), `${path}: ${policy}`);
      assert.equal(headers["referrer-policy"], "no-referrer");
      assert.equal(headers["cross-origin-opener-policy"], "same-origin");
      assert.equal(headers["cross-origin-resource-policy"], "same-origin");
      const features = String(headers["permissions-policy"]).split(", ");
      for (const denied of ["microphone=()", "geolocation=()", "usb=()", "clipboard-read=()"])
        assert.ok(features.includes(denied), features.join());
      assert.deepEqual(
        features.filter((one) => !one.endsWith("=()")),
        [
          ...["camera=(self)", "clipboard-write=(self)"],
          ...["publickey-credentials-create=(self)", "publickey-credentials-get=(self)"],
        ],
      );
    }
  });

  it("let a phone keep the console under the name of the device, with icons of the sizes that they say", async () => {
    for (const [name, accent, colour] of [
      ["Größe <b>7</b>", "teal", "#016e73"],
      ["", "blue", "#1d5bb8"],
    ]) {
      const body = { device: { name }, console: { accent } };
      const change = await agent.call("PUT", "/api/system", { local: true, body });
      assert.equal(change.status, 200, change.text);
      const { device_name } = (await agent.call("GET", "/api/console")).json;
      const { headers, bytes } = await get(agent, "/manifest.webmanifest");
      assert.equal(headers["content-type"], "application/manifest+json");
      const manifest = JSON.parse(bytes.toString());
      assert.deepEqual([manifest.name, manifest.theme_color], [device_name, colour]);
      assert.deepEqual([manifest.scope, manifest.start_url, manifest.display], ["/", "/", "standalone"]);
      for (const { src, sizes, type } of manifest.icons) {
        const icon = await get(agent, src);
        assert.deepEqual([icon.status, icon.headers["content-type"]], [200, type], src);
        // PNG §11.2.1: width and height.
        assert.equal(`${icon.bytes.readUInt32BE(16)}x${icon.bytes.readUInt32BE(20)}`, sizes);
        assert.ok(icon.bytes.length < 8_192, `${src} has ${icon.bytes.length} bytes`);
      }
    }
    for (const path of ["/apple-touch-icon.png", "/manifest.webmanifest"])
      assert.equal((await get(agent, path, {}, { method: "POST" })).status, 405);
  });

  // RFC 9110 §12.5.3; the build makes br, gzip and the plain form of each.
  const negotiations = [
    ...([
      ["", "identity"],
      ["gzip, deflate, br, zstd", "br"],
      ["deflate, zstd", "identity"],
      ["BR", "br"],
    ] as const),
    ...([
      ["br;q=0, gzip", "gzip"],
      ["gzip;q=1.0, br;q=0.5", "gzip"],
      ["gzip;q=0.001", "gzip"],
    ] as const),
    ...([
      ["br;q=0.2, identity;q=0.7", "identity"],
      ["*", "br"],
      ["*;q=0.5, gzip", "gzip"],
    ] as const),
    ...([
      ["br;q=0, *", "gzip"],
      ["gzip;q=0.3, *;q=0", "gzip"],
      ["identity;q=0, gzip", "gzip"],
    ] as const),
    ...([
      ["gzip ; q=0 , br ; q=1", "br"],
      ["br;q=2", "identity"],
      ["br;level=11", "identity"],
    ] as const),
    ["br;q=-1, gzip;q=high", "identity"],
  ] as const;
  it("are answered in the coding that Accept-Encoding prefers, and with 406 where it leaves none", async () => {
    for (const [header, expected] of negotiations) {
      const { status, headers, bytes } = await get(agent, script, { "accept-encoding": header });
      assert.deepEqual([status, headers["content-encoding"] ?? "identity"], [200, expected], header);
      assert.equal(headers.vary, "Accept-Encoding");
      assert.deepEqual(decoders[expected]?.(bytes), readFileSync(join(built, script)));
    }
    for (const header of ["identity;q=0", "*;q=0", "identity;q=0, br;q=0, zstd"]) {
      const { status, headers, bytes } = await get(agent, script, { "accept-encoding": header });
      assert.deepEqual([status, headers["content-encoding"]], [406, undefined], header);
      assert.equal(JSON.parse(bytes.toString()).code, "not_acceptable");
    }
  });

  it("are not sent again to a client that has them in the same coding (304), but to others they are", async () => {
    const tags = new Map<string, string>();
    for (const coding of ["br", "gzip", "identity"]) {
      const { headers } = await get(agent, "/", { "accept-encoding": coding });
      tags.set(coding, String(headers.etag));
    }
    assert.equal(new Set(tags.values()).size, 3, "a strong tag is of one form alone (RFC 9110 §8.8.3.3)");
    for (const [coding, tag] of tags) {
      const known = await get(agent, "/", { "accept-encoding": coding, "if-none-match": `"other", ${tag}` });
      assert.deepEqual([known.status, known.bytes.length], [304, 0]);
      // RFC 9110 §15.4.5: what a 200 would have had.
      const found = [known.headers.etag, known.headers.vary, known.headers["cache-control"]];
      assert.deepEqual(found, [tag, "Accept-Encoding", "no-store"]);
      assert.ok(known.headers["content-security-policy"], "the policy comes with it");
      const other = coding === "br" ? "gzip" : "br";
      const unknown = await get(agent, "/", { "accept-encoding": other, "if-none-match": tag });
      assert.equal(unknown.status, 200);
    }
  });

  it("answer HEAD as GET, without the bytes", async () => {
    for (const path of ["/", script]) {
      const headers = { "accept-encoding": "gzip" };
      const whole = await get(agent, path, headers);
      const head = await get(agent, path, headers, { method: "HEAD" });
      assert.deepEqual([head.status, head.bytes.length], [200, 0]);
      const { "x-request-id": _, date: __, ...expected } = whole.headers;
      const { "x-request-id": ___, date: ____, ...found } = head.headers;
      assert.deepEqual(found, expected);
    }
  });

  it("answer no other method: 405, with what they do answer", async () => {
    for (const method of ["POST", "PUT", "DELETE"]) {
      const { status, headers } = await get(agent, "/users", {}, { method });
      assert.deepEqual([status, headers.allow], [405, "GET, HEAD"]);
    }
  });

  const outside = [
    ...["/userz", "/users/", "/Users", "/system/clock", "/index.html", "/index.html.gz", `${script}.br`],
    ...["/assets", "/assets/", "/assets/../index.html", "/assets/%2e%2e/index.html", "/assets//index.html"],
    ...["/%75sers", `${script}%00`, `${script}/`, "/assets/..%2findex.html", "/main.js", "/steward.node"],
    ...["/../main.js", "/assets/../../main.js", "/__proto__", "/constructor"],
  ];
  it("are at no other path: 404", async () => {
    for (const path of outside) {
      const { answers } = await sendRaw(requestText(`GET ${path}`, ["Connection: close"]), agent);
      const { status, json, headers } = answers[0] ?? {};
      assert.deepEqual(
        [status, json?.code, headers?.["cache-control"]],
        [404, "not_found", "no-store"],
        path,
      );
    }
  });

  it("are the page with 404 where a person opens an address that is none, and a problem for a program and below /api", async () => {
    const html = { accept: "text/html,application/xhtml+xml,*/*;q=0.8" };
    const page = readFileSync(join(built, "index.html"));
    for (const path of ["/nope", "/users/7/more", "/updates/7", "/index.html"]) {
      const { status, headers, bytes } = await get(agent, path, html);
      assert.deepEqual(
        [status, headers["content-type"], bytes],
        [404, "text/html; charset=utf-8", page],
        path,
      );
      assert.ok(String(headers["content-security-policy"]).includes("'sha256-"), "the page's own policy");
      const known = await get(agent, path, { ...html, "if-none-match": String(headers.etag) });
      assert.deepEqual([known.status, known.bytes], [404, page], "not an answer without its page");
    }
    const { status, bytes } = await get(agent, "/nope", html, { method: "POST" });
    assert.deepEqual([status, JSON.parse(bytes.toString()).code], [404, "not_found"]);
  });

  it("are on the unix socket as well, and not for a browser behind it", async () => {
    assert.equal((await get(agent, "/", {}, { isLocal: true })).status, 200);
    const foreign = await get(agent, "/", { origin: "http://127.0.0.1" }, { isLocal: true });
    assert.equal(foreign.status, 403);
  });
});

describe("serving files", () => {
  /** As koa has it, as far as it is asked. */
  const ask = async (serve: ReturnType<typeof createStaticFiles>, path: string) => {
    const headers = new Map<string, string>();
    const set = (name: string | Record<string, string>, value = ""): void => {
      for (const [one, text] of typeof name === "string" ? [[name, value] as const] : Object.entries(name))
        headers.set(one.toLowerCase(), text);
    };
    const req = { method: "GET", headers: {} };
    const ctx = { path, method: "GET", get: () => "", set, req, status: 404, body: null as unknown };
    const isThere = await serve(ctx as unknown as Parameters<typeof serve>[0]);
    return { isThere, body: ctx.body, tag: headers.get("etag") };
  };

  it("has each in memory once, with its tag, and nothing where one was taken away, or came later", async (test) => {
    const directory = await temporaryDirectory(test);
    mkdirSync(join(directory, "assets"));
    writeFileSync(join(directory, "icon.svg"), "<svg/>");
    writeFileSync(join(directory, "index.html"), "<script>1</script>");
    const serve = createStaticFiles(directory);
    for (const path of ["/icon.svg", "/"]) {
      const [first, second] = await Promise.all([ask(serve, path), ask(serve, path)]);
      const third = await ask(serve, path);
      assert.ok(first.body instanceof Buffer && first.tag !== undefined);
      // Answers that no client reads share it.
      assert.deepEqual(
        [second.body === first.body, third.body === first.body, third.tag],
        [true, true, first.tag],
      );
    }
    // Only what the first request has found is served.
    writeFileSync(join(directory, "other.svg"), "<svg/>");
    const anew = createStaticFiles(directory);
    assert.equal((await ask(anew, "/earlier.svg")).isThere, false);
    rmSync(join(directory, "other.svg"));
    writeFileSync(join(directory, "later.svg"), "<svg/>");
    for (const path of ["/other.svg", "/later.svg"])
      assert.equal((await ask(anew, path)).isThere, false, path);
  });
});

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, readdirSync, readFileSync, statSync } from "node:fs";
import { createServer } from "node:https";
import { join } from "node:path";
import { before, describe, it, type TestContext } from "node:test";
import { hostileTars } from "../../lab/archives/hostile-tars.ts";
import { publishTars } from "../../lab/archives/published-tars.ts";
import { atEnd } from "../../lab/basics/ending.ts";
import { scratchDirectory } from "../../lab/basics/scratch.ts";
import { until } from "../../lab/basics/until.ts";
import { createAuthority } from "../../lab/host/certificates.ts";
import { listening } from "../../lab/host/web-server.ts";
import {
  answering,
  deafToRanges,
  gzipped,
  instead,
  packedAs,
  redirectTo,
  serveFile,
  silent,
  truncatedTo,
  withHeaders,
} from "../../lab/publisher/behaviours.ts";
import { type Bench, benchIn, makeBench, publishedBench, publishRelease } from "../../lab/publisher/bench.ts";
import { type HostileServer, startHostileServer } from "../../lab/publisher/hostile-server.ts";
import { publisherCommand, runPublisher } from "../../lab/publisher/run-publisher.ts";
import { add, makeScratch, publishAll, siteIn } from "../../lab/publisher/site.ts";

const timestamp = "metadata/timestamp.json";
const payloads = /^targets\//;
/** All but timestamp.json, which is served well. */
const others = /^(?!metadata\/timestamp\.json$)/;
const page = answering(200, "<!DOCTYPE html><title>Welcome</title>", { "content-type": "text/html" });

const on =
  (path: Parameters<HostileServer["behave"]>[0], behaviour: Parameters<HostileServer["behave"]>[1]) =>
  (server: HostileServer): void =>
    server.behave(path, behaviour);
const stamped = (headers: Readonly<Record<string, string>>) => on(timestamp, withHeaders(headers));
const cached = (value: string) => stamped({ "cache-control": value });
const packed = (coding: string) => on(payloads, packedAs(Buffer.alloc(9), coding));
const dated = { expires: "Mon, 30 Nov 2026 12:00:00 GMT", date: "Sun, 29 Nov 2026 12:00:00 GMT" };
const pageForMissing = on(others, (one) => (one.file ? serveFile : page)(one));
const half = on(payloads, truncatedTo(20));

/** A server, what it does, the exit code, and the codes of the findings. */
type Row = readonly [string, (server: HostileServer) => void, number, ...string[]];

const rows: readonly Row[] = [
  ["does all well", () => undefined, 0],
  ["says nothing of caches", on(timestamp, serveFile), 0, "caching"],
  ["lets caches keep the timestamp for 12 hours", cached("max-age=43200"), 0, "caching"],
  ["lets shared caches keep it for a day", cached("max-age=0, s-maxage=86400"), 0, "caching"],
  ["lets caches keep it until tomorrow", stamped(dated), 0, "caching"],
  ["has had it for two hours", stamped({ "cache-control": "max-age=60", age: "7200" }), 0, "caching"],
  ["lets caches keep it for a minute", stamped({ "cache-control": "max-age=60", age: "30" }), 0],
  ["has an Expires that is no date", stamped({ expires: "0" }), 0],
  ["compresses metadata as asked", on(/^metadata\/[1-9]/, gzipped()), 0],
  ["compresses the timestamp unasked", on(timestamp, gzipped()), 0, "coding", "caching"],
  ["says gzip of a .tar.gz", on(payloads, withHeaders({ "content-encoding": "x-gzip" })), 0, "coding"],
  ["compresses payloads once more", on(payloads, gzipped()), 0, "coding", "no_ranges"],
  ["has a payload in an unknown coding", packed("br"), 1, "coding", "update_server_refused"],
  ["knows no ranges", on(payloads, deafToRanges()), 0, "no_ranges"],
  ["has a page for missing files", pageForMissing, 0, "page_for_missing"],
  ["is a portal", on(/./, page), 1, "page_for_missing", "update_file_missing", "caching", "update_web_page"],
  ["redirects payloads to another path", moving(""), 0, "redirect"],
  ["redirects payloads to another origin", moving("localhost"), 1, "redirect", "update_server_refused"],
  ["lacks a payload", on(payloads, instead(undefined)), 1, "update_file_missing"],
  ["has half of a payload", half, 1, "update_payload_mismatch"],
  ["has a page in place of a payload", on(payloads, page), 1, "update_web_page"],
  ["lacks the snapshot", on(/snapshot/, instead(undefined)), 1, "update_file_missing"],
  ["has other rules", on(/rules\.json$/, instead(Buffer.from("{}"))), 1, "update_metadata_mismatch"],
  ["fails", on(/./, answering(503)), 1, "update_server_unreachable"],
];

describe("steward-publisher check, with a server that", () => {
  const shared = benchIn(scratchDirectory());
  before(async () => {
    await shared.good("init", shared.site, "--product", "demo");
    await publishRelease(shared);
  });
  for (const [name, behave, exit, ...codes] of rows)
    it(name, async (test) => {
      const server = await serverOf(test, shared);
      behave(server);
      const report = await checked(exit, server.origin, shared.site);
      assert.deepEqual(codesOf(report), codes);
      assert.equal(report.problems.length > 0, exit === 1);
    });

  it("has other bytes of the same length: found once payloads are fetched whole", async (test) => {
    const { bench, server } = await uploaded(test);
    assert.deepEqual(codesOf(await checked(0, server.origin, bench.site, "--payloads")), []);
    server.behave(payloads, (one) => instead(one.file && Buffer.alloc(one.file.length))(one));
    assert.deepEqual(codesOf(await checked(0, server.origin, bench.site)), []);
    const whole = await checked(1, server.origin, bench.site, "--payloads");
    assert.deepEqual(codesOf(whole), ["update_payload_mismatch"]);
  });

  it("has an archive that no device installs, signed by another tool: found once it is fetched", async (test) => {
    const scratch = makeScratch(test);
    await publishTars(
      scratch,
      hostileTars.filter(({ name }) => name === "setuid"),
    );
    const site = join(scratch, "site");
    const server = await serverOf(test, { site });
    assert.deepEqual(codesOf(await checked(0, server.origin, site)), []);
    const whole = await checked(1, server.origin, site, "--payloads");
    assert.deepEqual(codesOf(whole), ["update_payload_unsafe"]);
    assert.match(whole.problems[0] ?? "", /evil.*setuid or setgid/);
  });

  it("is reached through a proxy, which resolves its name, or redirects to an origin that devices are allowed", async (test) => {
    const { bench, server } = await uploaded(test);
    const { files } = server;
    // RFC 9112 §3.2.2: a proxy is asked for the whole address.
    server.files = new Map([...files].map(([path, bytes]) => [`http://updates.example/${path}`, bytes]));
    const words = ["http://updates.example", bench.site, "--proxy"];
    assert.deepEqual(codesOf(await checked(0, ...words, server.origin)), ["caching"]);
    await bench.bad(1, "check", ...words, "socks://127.0.0.1");
    server.files = files;
    moving("localhost")(server);
    const allowed = ["--redirect-origin", `http://localhost:${server.port}`];
    assert.deepEqual(codesOf(await checked(0, server.origin, bench.site, ...allowed)), ["redirect"]);
  });

  it("lacks an earlier root, from which devices that were given it follow", async (test) => {
    const { bench, server } = await uploaded(test);
    await bench.good("renew", bench.site, "root");
    await bench.good("publish", bench.site);
    server.files = filesBelow(join(bench.site, "public"));
    const second = ["--root", join(bench.site, "public/metadata/2.root.json")];
    assert.deepEqual(codesOf(await checked(0, server.origin, ...second)), []);
    server.behave("metadata/1.root.json", instead(undefined));
    assert.deepEqual(codesOf(await checked(1, server.origin, ...second)), ["update_file_missing"]);
  });

  it("has the repository of another publisher", async (test) => {
    const [{ server }, { bench }] = [await uploaded(test), await uploaded(test)];
    const codes = codesOf(await checked(1, server.origin, bench.site));
    assert.deepEqual(codes, ["update_metadata_mismatch", "update_signature_invalid"]);
    assert.deepEqual(codesOf(await checked(0, server.origin)), []);
  });

  it("was not sent the last publish, or is ahead of the folder", async (test) => {
    const { bench, server } = await uploaded(test);
    const copy = join(bench.directory, "copy");
    cpSync(bench.site, copy, { recursive: true });
    await bench.good("renew", bench.site, "rules");
    await bench.good("publish", bench.site);
    const behind = await checked(1, server.origin, bench.site);
    assert.deepEqual(codesOf(behind), ["other_files"]);
    const found = behind.problems.at(-1) ?? "";
    assert.match(
      found,
      /^metadata of timestamp and 2 more: The server has version 1, and \S+\/public has version 2\. Upload \S+\/public,/,
    );
    server.files = filesBelow(join(bench.site, "public"));
    const ahead = await checked(1, server.origin, copy);
    const seen = ahead.problems.at(-1) ?? "";
    assert.match(seen, /has version 2, and \S+ has version 1\. Publish nothing from \S+copy /);
  });
});

describe("steward-publisher check", () => {
  it("ends with 10 where something expires soon, and says what to type", async (test) => {
    const { bench, server } = await uploaded(test);
    const { code, stderr } = await runPublisher(["check", server.origin, bench.site, "--margin", "100d"]);
    assert.equal(code, 10, stderr);
    assert.match(
      stderr,
      /rules version 1 expires at \S+Z, in .*\. Type: steward-publisher renew \S+ rules && /,
    );
    const without = await runPublisher(["check", server.origin, "--margin", "100d"]);
    assert.match(without.stderr, /Type: steward-publisher renew DIR rules && steward-publisher publish DIR/);
  });

  it("ends with 1 where something has expired, and still says what devices would get", async (test) => {
    const site = await siteIn(makeScratch(test), {}, new Date("2020-01-01T00:00:00Z"));
    await add(site);
    await publishAll(site);
    const server = await serverOf(test, { site: site.directory });
    const report = await checked(1, server.origin, site.directory);
    assert.deepEqual(codesOf(report), ["update_metadata_expired"]);
    assert.equal(report.offers[0]?.rules, "stable/rules/demo-rules-1.0.0.tar.gz");
  });

  it("says what devices of each product, channel and architecture get, by the names of Debian and the kernel too", async (test) => {
    const { bench, server } = await uploaded(test);
    const named = (arch: string, version: string) => [
      "--kind",
      "binary",
      "--arch",
      arch,
      "--release",
      version,
    ];
    const add = (arch: string, version: string, ...more: string[]) =>
      bench.good("add", bench.site, bench.payload, ...named(arch, version), "--allow", "same-bytes", ...more);
    await add("aarch64", "1.0.0");
    await add("amd64", "1.1.0", "--waves", "default");
    await add("armhf", "2.0.0", "--channel", "beta");
    await add("x64", "2.1.0");
    await bench.good("add", bench.site, "--withdraw", "bad", ...named("x86_64", "2.1.0"));
    await bench.good("publish", bench.site);
    server.files = filesBelow(join(bench.site, "public"));
    const { offers } = await checked(0, server.origin, bench.site);
    const rules = "stable/rules/demo-rules-1.0.0.tar.gz";
    const offer = (channel: string, arch: string, version?: string) => {
      const binary = version === undefined ? null : `${channel}/binary/demo-${version}-linux-${arch}.tar.gz`;
      return { product: "demo", channel, arch, rules: channel === "stable" ? rules : null, binary };
    };
    assert.deepEqual(offers, [
      offer("stable", "any"),
      offer("stable", "arm64", "1.0.0"),
      offer("stable", "x64", "1.1.0"),
      offer("beta", "arm", "2.0.0"),
    ]);
    const one = await checked(0, server.origin, bench.site, "--arch", "amd64", "--channel", "stable");
    assert.deepEqual(one.offers, [offers[2]]);
    const { stdout } = await bench.good("check", server.origin, bench.site);
    assert.match(
      stdout,
      /^demo +stable +x64 +stable\/rules\/demo-rules-1\.0\.0\.tar\.gz +stable\/binary\/demo-1\.1\.0-linux-x64\.tar\.gz$/m,
    );
  });

  it("names a certificate that devices would refuse, and takes an authority of the publisher's own", async (test) => {
    const { bench } = await uploaded(test);
    const files = filesBelow(join(bench.site, "public"));
    const authority = createAuthority(bench.directory);
    const old = { from: "20200101000000Z", until: "20210101000000Z" };
    const https = async (certificate: ReturnType<typeof authority.certify>) => {
      const server = await listening(
        createServer(certificate, ({ url = "" }, response) => {
          const file = files.get(url.slice(1));
          response.writeHead(file ? 200 : 404, { "cache-control": "no-cache" }).end(file);
        }),
        "https",
        [],
      );
      atEnd(test, () => server.stop());
      return server.url;
    };
    const trusted = ["--ca-file", authority.path];
    const url = await https(authority.certify("127.0.0.1"));
    assert.deepEqual(codesOf(await checked(0, url, bench.site, ...trusted)), ["no_ranges"]);
    const untrusted = await checked(1, url, bench.site);
    assert.deepEqual(codesOf(untrusted), ["update_server_unreachable"]);
    assert.match(untrusted.findings[0]?.remedy ?? "", /whole chain .*--ca-file/);
    const oldUrl = await https(authority.certify("127.0.0.1", old));
    const expired = await checked(1, oldUrl, bench.site, ...trusted);
    assert.match(expired.findings[0]?.remedy ?? "", /^Renew the server's certificate/);
  });

  it("ends at Ctrl-C with 130, also while a payload comes, and leaves no part of it", async (test) => {
    const { bench, server } = await uploaded(test);
    server.behave(payloads, silent());
    const temporary = join(bench.directory, "temporary");
    mkdirSync(temporary);
    const [node = "", ...words] = publisherCommand;
    const child = spawn(node, [...words, "check", server.origin, bench.site, "--payloads"], {
      ...{ stdio: "ignore", env: { ...process.env, TMPDIR: temporary } },
    });
    const ended = once(child, "exit");
    await until("the payload is asked for", () => server.requests.some(({ path }) => payloads.test(path)));
    assert.equal(readdirSync(temporary).filter((name) => name.startsWith("steward-publisher-")).length, 1);
    child.kill("SIGINT");
    assert.deepEqual(await ended, [130, null]);
    const found = readdirSync(temporary).filter((name) => name.startsWith("steward-publisher-"));
    assert.deepEqual(found, []);
  });

  it("refuses a folder, as inspect refuses a server, and each names the other", async (test) => {
    const { bad, site } = await makeBench(test);
    assert.match((await bad(2, "check", site)).stderr, /Files here: steward-publisher inspect \S+site/);
    const found = (await bad(2, "inspect", "https://updates.example")).stderr;
    assert.match(found, /A server: steward-publisher check https:\/\/updates\.example/);
  });
});

/** The document of `check`, which must end so. */
async function checked(exit: number, ...words: string[]) {
  const { code, stdout, stderr } = await runPublisher(["check", ...words, "-o", "json"]);
  assert.equal(code, exit, `${stdout}${stderr}`);
  return JSON.parse(stdout);
}

const codesOf = ({ findings }: { findings: readonly { code: string }[] }): string[] => [
  ...new Set(findings.map(({ code }) => code)),
];

/** A repository with one release, and a server that has it and does all well. */
async function uploaded(test: TestContext): Promise<{ bench: Bench; server: HostileServer }> {
  const bench = await publishedBench(test);
  return { bench, server: await serverOf(test, bench) };
}

async function serverOf(test: TestContext, { site }: Pick<Bench, "site">): Promise<HostileServer> {
  const server = await startHostileServer(test, filesBelow(join(site, "public")));
  server.behave(timestamp, withHeaders({ "cache-control": "no-cache" }));
  return server;
}

function filesBelow(directory: string): Map<string, Buffer> {
  const names = readdirSync(directory, { recursive: true, encoding: "utf8" });
  const files = names.filter((name) => statSync(join(directory, name)).isFile());
  return new Map(files.map((name) => [name, readFileSync(join(directory, name))]));
}

/** Payloads are below /moved, of this host or of that name of it. */
function moving(host: string): Row[1] {
  return (server) => {
    const origin = host === "" ? "" : `http://${host}:${server.port}`;
    server.behave(payloads, (one) => redirectTo(`${origin}/moved/${one.path}`)(one));
    server.behave(/^moved\//, (one) => instead(server.files.get(one.path.slice("moved/".length)))(one));
  };
}

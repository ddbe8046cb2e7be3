import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import fs, { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { join, relative } from "node:path";
import { before, beforeEach, describe, it } from "node:test";
import { endOfSuite } from "../../../lab/basics/ending.ts";
import { scratchDirectory } from "../../../lab/basics/scratch.ts";
import { cutAfter, instead, serveFile } from "../../../lab/publisher/behaviours.ts";
import {
  type Behaviour,
  type HostileServer,
  startHostileServer,
} from "../../../lab/publisher/hostile-server.ts";
import { openServed } from "../../../lab/publisher/served.ts";
import { watchDisk } from "../../../lab/state/watched-disk.ts";
import type { FetchPayloadOptions } from "../../../src/releases/download/patched-part.ts";
import { fetchPayload } from "../../../src/releases/download/payload.ts";
import { caps } from "../../../src/tuf/caps.ts";

const content = randomBytes(3_000_001);

/** Hex, by the tool of the system. */
function hashOf(tool: "sha512sum" | "sha256sum", bytes: Buffer): string {
  return execFileSync(tool, { input: bytes, encoding: "utf8" }).split(" ")[0] ?? "";
}

const sha512 = hashOf("sha512sum", content);
const sha256 = hashOf("sha256sum", content);
const id = sha512.slice(0, 32);
const plain = "targets/stable/rules/demo-1.0.0.tar.gz";
const hashed = `targets/stable/rules/${sha512}.demo-1.0.0.tar.gz`;

function signedAs(hashes: Record<string, string>) {
  const file = { length: content.length, hashes };
  return { found: { path: "stable/rules/demo-1.0.0.tar.gz", file, role: "rules" } };
}

const code = (name: string) => ({ name: "StewardError", code: name });

describe("fetchPayload", () => {
  const suite = endOfSuite();
  let directory = "";
  let server: HostileServer;
  const part = () => join(directory, "downloads", `${id}.part`);
  const staged = () => join(directory, "staged", `${id}.tar.gz`);
  before(async () => {
    server = await startHostileServer(suite, new Map([plain, hashed].map((path) => [path, content])));
  });
  beforeEach(() => {
    directory = scratchDirectory();
  });

  async function fetching(answer: Behaviour = serveFile, changes: Partial<FetchPayloadOptions> = {}) {
    server.repent();
    server.behave(/./, answer);
    const { repository, close } = openServed({ url: server.origin, caps: { ...caps, rateWindowSeconds: 5 } });
    const { signal } = new AbortController();
    const usual = { directory, signal, caps, freeSpace: async () => 1e12, isConsistentSnapshot: true };
    try {
      const signed = signedAs({ sha512, sha256, md5: "00" });
      return await fetchPayload({ repository, ...signed, ...usual, ...changes });
    } finally {
      close();
    }
  }

  function assertStaged(): void {
    assert.ok(readFileSync(staged()).equals(content), "what was signed is staged");
    assert.deepEqual(readdirSync(join(directory, "downloads")), []);
  }

  for (const [name, hasInstaller, message] of [
    ["without an installer", false, /at least 67 MiB .* \(download 3, reserve 64\), .* Free 35 MiB there/],
    [
      "with an installer",
      true,
      /at least 73 MiB .* \(copy 3, unpacked 3, download 3, reserve 64\), .* Free 41 MiB/,
    ],
  ] as const)
    it(`asks for nothing where the disk is too full for all of it, ${name}`, async () => {
      const installation = { releases: join(directory, "releases"), trust: join(directory, "trust") };
      const disk = { freeSpace: async () => 32 * 1024 ** 2, ...(hasInstaller && { installation }) };
      await assert.rejects(fetching(serveFile, disk), { ...code("storage_full"), message });
      assert.equal(server.requests.length, 0);
    });

  describe("takes nothing from a server", () => {
    const assertRefused = async (fetched: Promise<unknown>): Promise<void> => {
      await assert.rejects(fetched, code("update_payload_mismatch"));
      for (const name of ["downloads", "staged"]) assert.deepEqual(readdirSync(join(directory, name)), []);
    };

    it("that has another content of the same length", () => {
      const other = Buffer.from(content);
      other[2_000_000] = (other[2_000_000] ?? 0) ^ 1;
      return assertRefused(fetching(instead(other)));
    });

    it("whose content has one of the two hashes alone", () =>
      assertRefused(fetching(serveFile, signedAs({ sha512, sha256: "0".repeat(64) }))));

    it("that announces one byte more", async () => {
      const longer = Buffer.concat([content, Buffer.from("x")]);
      await assert.rejects(fetching(instead(longer)), code("update_too_large"));
      assert.equal(readFileSync(part()).length, 0);
    });
  });

  it("keeps what came before a cut, and asks for the rest of the same file, also after a page to sign in at", async () => {
    await assert.rejects(fetching(cutAfter(2_000_000)), code("update_server_unreachable"));
    await assert.rejects(fetching(instead(Buffer.from("<html>"))), code("update_payload_mismatch"));
    assert.ok(readFileSync(part()).equals(content.subarray(0, 2_000_000)), "what came is kept");
    const progress: number[] = [];
    await fetching(serveFile, { onProgress: ({ receivedBytes }) => progress.push(receivedBytes) });
    assert.equal(server.requests[0]?.headers.range, "bytes=2000000-");
    assert.deepEqual([progress[0], progress.at(-1)], [2_000_000, content.length]);
    assertStaged();
  });

  it("keeps what came before an abort, and throws its reason", async () => {
    const stopping = new AbortController();
    const reason = new Error("enough");
    const fetched = fetching(serveFile, {
      signal: stopping.signal,
      onProgress: ({ receivedBytes }) => {
        if (receivedBytes > 0) stopping.abort(reason);
      },
    });
    await assert.rejects(fetched, reason);
    assert.ok(readFileSync(part()).length > 0, "what came is kept");
    await fetching();
    assertStaged();
  });

  const date = new Date().toUTCString();
  for (const [name, headersOf] of Object.entries<(cut: number) => Record<string, string>>({
    "a strong entity tag": () => ({ etag: '"1"' }),
    "a weak entity tag, as of a CDN that compresses": () => ({ etag: 'W/"1"' }),
    "no entity tag": () => ({}),
    "a date of the same second": () => ({ date, "last-modified": date }),
    "two servers behind one name, whose entity tags differ": (cut) => ({ etag: `"${cut % 2}"` }),
    "a range without the length of all": () => ({ etag: '"1"', total: "*" }),
  }))
    it(`brings the bytes once over a line that is cut twenty times, from a server with ${name}`, async () => {
      const piece = Math.ceil(content.length / 21);
      let [cut, sent] = [0, 0];
      const answer: Behaviour = ({ request: { headers }, response }) => {
        const { total = String(content.length), ...more } = headersOf(cut);
        const isSame = (headers["if-range"] ?? more.etag) === more.etag;
        const from = isSame ? Number(/^bytes=(\d+)-$/.exec(headers.range ?? "")?.[1] ?? 0) : 0;
        const bytes = content.subarray(from, from + piece);
        sent += bytes.length;
        response.writeHead(from > 0 ? 206 : 200, {
          ...{ ...more, "content-length": content.length - from },
          ...(from > 0 && { "content-range": `bytes ${from}-${content.length - 1}/${total}` }),
        });
        if (from + bytes.length === content.length) response.end(bytes);
        else response.write(bytes, () => response.destroy());
      };
      for (; cut < 20; cut += 1) await assert.rejects(fetching(answer), code("update_server_unreachable"));
      await fetching(answer);
      assertStaged();
      assert.equal(sent, content.length);
    });

  for (const range of [
    ...["bytes 0-3000000/3000001", "bytes 2000000-3000001/3000002", "bytes 2000000-3000000/3000002"],
    ...["bytes 2000000-2500000/3000001", "x"],
  ])
    it(`begins anew the next time after a cut, when the server sends the wrong part (${range})`, async () => {
      await assert.rejects(fetching(cutAfter(2_000_000)), code("update_server_unreachable"));
      const wrong: Behaviour = ({ response }) =>
        void response.writeHead(206, { "content-range": range }).end(content.subarray(2_000_000));
      await assert.rejects(fetching(wrong), code("update_server_refused"));
      await fetching();
      assertStaged();
    });

  describe("with what lies in its directory", () => {
    it("fetches anew a part that is longer than the signed length", async () => {
      mkdirSync(join(directory, "downloads"));
      writeFileSync(part(), Buffer.concat([content, content]));
      await fetching();
      assertStaged();
    });

    it("follows no link", async () => {
      const elsewhere = join(directory, "elsewhere");
      writeFileSync(elsewhere, "precious");
      mkdirSync(join(directory, "downloads"));
      symlinkSync(elsewhere, part());
      await fetching();
      assert.equal(readFileSync(elsewhere, "utf8"), "precious");
      assertStaged();
    });

    it("fetches anew what something else stands in the place of, and asks for nothing once it is staged", async () => {
      mkdirSync(join(staged(), "held"), { recursive: true });
      await fetching();
      assertStaged();
      await fetching();
      assert.equal(server.requests.length, 0);
      assertStaged();
    });

    it("says what to do about a disk that refuses a part, and passes on what is no failure of the disk's", async (test) => {
      const { open } = fs.promises;
      const put = (opening: typeof open) => {
        Object.assign(fs.promises, { open: opening });
        syncBuiltinESMExports();
      };
      test.after(() => put(open));
      const odd = new TypeError("x is not a function");
      for (const [thrown, expected] of [
        [Object.assign(new Error("ENOSPC: full"), { code: "ENOSPC" }), code("storage_full")],
        [odd, odd],
      ] as const) {
        put(async (...given) => {
          if (String(given[0]).endsWith(".part")) throw thrown;
          return open(...given);
        });
        await assert.rejects(fetching(), expected);
      }
      assert.equal(server.requests.length, 0);
    });
  });

  it("stages what was signed, under the head of its sha512", async () => {
    const fetched = await fetching();
    assert.deepEqual(fetched, { id, path: staged(), lengthBytes: content.length });
    assert.equal(server.requests[0]?.path, hashed);
    assertStaged();
  });

  it("is on the disk before it has its name, and so is that before it counts", async (test) => {
    const calls = watchDisk(test);
    await fetching();
    const done = calls.filter(({ what }) => what === "sync" || what === "rename");
    const name = (path: string) => relative(directory, path).replace(id, "ID");
    assert.deepEqual(done.map(({ what, path }) => `${what} ${name(path)}`).slice(-4), [
      "sync downloads/ID.part",
      "rename staged/ID.tar.gz",
      "sync staged",
      "sync downloads",
    ]);
  });

  it("goes by the sha256 where there is no other, and by plain names where the root says so", async () => {
    const changes = { ...signedAs({ sha256 }), isConsistentSnapshot: false };
    const fetched = await fetching(serveFile, changes);
    assert.equal(fetched.id, sha256.slice(0, 32));
    assert.equal(server.requests[0]?.path, plain);
  });
});

import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { before, beforeEach, describe, it } from "node:test";
import { gzipSync } from "node:zlib";
import { endOfSuite } from "../../../lab/basics/ending.ts";
import { scratchDirectory } from "../../../lab/basics/scratch.ts";
import { answering, cutAfter, instead, serveFile } from "../../../lab/publisher/behaviours.ts";
import {
  type Behaviour,
  type HostileServer,
  startHostileServer,
} from "../../../lab/publisher/hostile-server.ts";
import { openServed } from "../../../lab/publisher/served.ts";
import { createRunCommand } from "../../../src/host/linux/commands.ts";
import { makePatch } from "../../../src/publishing/patches/make-patch.ts";
import type { Patching, UnpackPatch } from "../../../src/releases/download/patched-part.ts";
import { fetchPayload } from "../../../src/releases/download/payload.ts";
import type { Patch } from "../../../src/releases/patches/patch.ts";
import { createPayloadGzip } from "../../../src/releases/patches/payload-gzip.ts";
import { zstandard } from "../../../src/releases/patches/zstandard.ts";
import { caps } from "../../../src/tuf/caps.ts";
import { createUnpackPatch } from "../../../src/updates/download/unpack-patch-process.ts";

const hashOf = (bytes: Uint8Array) => createHash("sha512").update(bytes).digest("hex");

function packed(content: Uint8Array): Buffer {
  const pieces: Uint8Array[] = [];
  const gzip = createPayloadGzip((piece) => void pieces.push(piece));
  gzip.push(content);
  gzip.end();
  return Buffer.concat(pieces);
}

/** Archives, and the payloads that they are in; the former one as any tool has packed it. */
const former = randomBytes(200_000);
const next = Buffer.concat([former.subarray(0, 150_000), Buffer.from("changed"), former.subarray(150_000)]);
const formerPayload = gzipSync(former, { level: 9 });
const whole = packed(next);
const [formerHash, wholeHash] = [hashOf(formerPayload), hashOf(whole)];

const paths = {
  whole: `targets/stable/rules/${wholeHash}.base-1.1.0.tar.gz`,
  patch: (bytes: Uint8Array) => `targets/stable/rules/${hashOf(bytes)}.base-1.1.0.from.1.0.0.zst`,
};

function patchOf(bytes: Uint8Array, change: Partial<Patch> = {}): Patch {
  const target = {
    path: "stable/rules/base-1.1.0.from.1.0.0.zst",
    file: { length: bytes.length, hashes: { sha512: hashOf(bytes) }, custom: {} },
    role: "rules",
  };
  const usual = { from: formerHash, to: wholeHash, fromBytes: former.length, toBytes: next.length, target };
  return { ...usual, ...change };
}

const suite = endOfSuite();
let directory = "";
let server: HostileServer;
before(async () => {
  server = await startHostileServer(suite);
});
beforeEach(() => {
  directory = scratchDirectory();
  mkdirSync(join(directory, "staged"));
  writeFileSync(join(directory, "staged", `${formerHash.slice(0, 32)}.tar.gz`), formerPayload);
});

/** Fetches the whole from a server that has it, and these patches, which it may answer with something else. */
async function fetching(
  patches: readonly Uint8Array[],
  patching: Patching,
  answer: Behaviour = serveFile,
  signal = new AbortController().signal,
) {
  const files = patches.map((bytes) => [paths.patch(bytes), Buffer.from(bytes)] as const);
  server.files = new Map([[paths.whole, whole], ...files]);
  server.repent();
  server.behave(/\.zst$/, answer);
  const { repository, close } = openServed({ url: server.origin, caps: { ...caps, rateWindowSeconds: 5 } });
  const file = { length: whole.length, hashes: { sha512: wholeHash } };
  const found = { path: "stable/rules/base-1.1.0.tar.gz", file, role: "rules" };
  const usual = { directory, signal, caps, freeSpace: async () => 1e12, isConsistentSnapshot: true };
  try {
    return await fetchPayload({ repository, found, patching, ...usual });
  } finally {
    close();
  }
}

const asked = () => server.requests.map(({ path }) => (path.endsWith(".zst") ? "patch" : "whole"));

/** The whole is staged, under its own name, and nothing else has come or stayed. */
function assertStaged(...requests: ("patch" | "whole")[]): void {
  const staged = join(directory, "staged", `${wholeHash.slice(0, 32)}.tar.gz`);
  assert.ok(readFileSync(staged).equals(whole), "what was signed is staged");
  assert.equal(readdirSync(join(directory, "staged")).length, 2);
  assert.deepEqual(readdirSync(join(directory, "downloads")), []);
  assert.deepEqual(asked(), requests);
}

/** In place of the process: it writes this, whatever the patch says. */
const writing =
  (bytes: Uint8Array): UnpackPatch =>
  async ({ out }) =>
    writeFileSync(out, bytes);

const never: UnpackPatch = () => assert.fail("no patch is unpacked");

describe("a payload for which a patch is on offer", () => {
  const bytes = Buffer.from("a patch");
  const patches = [patchOf(bytes)];

  it("is made by the smallest of those that begin with what is here", async () => {
    const larger = Buffer.from("a larger patch");
    const several = [patchOf(Buffer.from("p"), { from: "0".repeat(128) }), patchOf(larger), ...patches];
    await fetching([bytes, larger], { patches: several, unpackPatch: writing(whole) });
    assert.equal(server.requests[0]?.path, paths.patch(bytes));
    assertStaged("patch");
  });

  for (const coding of ["zstd", "gzip", "br"])
    for (const length of [undefined, bytes.length])
      it(`is made by it where the server calls the patch ${coding} coded, of ${length ?? "unknown"} bytes`, async () => {
        const headers = { "content-encoding": coding, ...(length && { "content-length": String(length) }) };
        await fetching([bytes], { patches, unpackPatch: writing(whole) }, answering(200, bytes, headers));
        assertStaged("patch");
      });

  const flipped = Buffer.from(whole);
  flipped.writeUInt8((flipped[99] ?? 0) ^ 1, 99);
  for (const [name, unpackPatch] of Object.entries<UnpackPatch>({
    "makes other bytes of it": writing(flipped),
    "makes less of it": writing(whole.subarray(0, -1)),
    "makes more of it": writing(Buffer.concat([whole, Buffer.from("x")])),
    "makes nothing of it": writing(Buffer.alloc(0)),
    "makes the former payload of it": writing(formerPayload),
    "makes its process fail": async ({ out }) => {
      writeFileSync(out, whole.subarray(0, 5));
      throw new Error("out of memory");
    },
  }))
    it(`is fetched whole where the patch ${name}, at the cost of one request`, async () => {
      await fetching([bytes], { patches, unpackPatch });
      assertStaged("patch", "whole");
      assert.equal(server.requests[1]?.headers.range, undefined, "all of it, not the rest of a wrong part");
    });

  for (const [name, answer] of Object.entries<Behaviour>({
    "is not there": instead(undefined),
    "is another file": instead(Buffer.from("b patch")),
    "is longer than was signed": instead(Buffer.from("a patch and more")),
    "is cut off": cutAfter(3),
    "makes the server fail": answering(503),
  }))
    it(`is fetched whole where the patch ${name}`, async () => {
      await fetching([bytes], { patches, unpackPatch: never }, answer);
      assertStaged("patch", "whole");
    });

  for (const [name, patch] of Object.entries({
    "leads elsewhere": patchOf(bytes, { to: "0".repeat(128) }),
    "begins with what is not here": patchOf(bytes, { from: "0".repeat(128) }),
    "has as many bytes as the whole": patchOf(whole),
  }))
    it(`is fetched whole, and the patch not at all, where that ${name}`, async () => {
      await fetching([bytes], { patches: [patch], unpackPatch: never });
      assertStaged("whole");
    });

  it("is fetched on where a part of the whole is here", async () => {
    mkdirSync(join(directory, "downloads"));
    writeFileSync(join(directory, "downloads", `${wholeHash.slice(0, 32)}.part`), whole.subarray(0, 9));
    await fetching([bytes], { patches, unpackPatch: never });
    assertStaged("whole");
  });

  it("ends with the signal, and leaves no part that could be taken for one of the whole", async () => {
    const controller = new AbortController();
    const unpackPatch: UnpackPatch = async ({ out }) => {
      writeFileSync(out, whole);
      controller.abort(new Error("it stops"));
      throw new Error("it was killed");
    };
    const fetched = fetching([bytes], { patches, unpackPatch }, serveFile, controller.signal);
    await assert.rejects(fetched, /it stops/);
    assert.deepEqual([asked(), readdirSync(join(directory, "downloads"))], [["patch"], []]);
  });
});

/** Given to each test: node counts no suite as skipped. */
const needsNode = (await zstandard()) === null ? "this Node has no Zstandard with a dictionary" : false;

describe("the process that unpacks a patch", () => {
  const dist = join(import.meta.dirname, "../../../dist");
  const unpackPatch = createUnpackPatch(process.execPath, dist, createRunCommand());

  it("makes the payload of a patch that the publisher has made", { skip: needsNode }, async () => {
    const bytes = await makePatch(former, next);
    assert.ok(bytes.length < 1_000, `${bytes.length} bytes`);
    await fetching([bytes], { patches: [patchOf(bytes)], unpackPatch });
    assertStaged("patch");
  });

  const other = Buffer.concat([former.subarray(100_000), former.subarray(0, 100_000)]);
  const right = () => makePatch(former, next);
  for (const [name, make, change = {}] of [
    ["no frame", async () => Buffer.from("this is no frame of Zstandard")],
    ["a frame of another former archive", () => makePatch(other, next)],
    ["a frame that was cut", async () => (await right()).subarray(0, -5)],
    ["a frame of another archive", () => makePatch(former, former)],
    ["more than was signed", right, { toBytes: next.length - 1 }],
    ["less than was signed", right, { toBytes: next.length + 1 }],
    ["a former archive that is longer", right, { fromBytes: former.length - 1 }],
    ["a former archive that is shorter", right, { fromBytes: former.length + 1 }],
    ["a bomb", () => makePatch(former, Buffer.alloc(30_000_000))],
  ] as [string, () => Promise<Uint8Array>, Partial<Patch>?][])
    it(`refuses ${name}, and the whole is fetched`, { skip: needsNode }, async () => {
      const bytes = await make();
      await fetching([bytes], { patches: [patchOf(bytes, change)], unpackPatch });
      assertStaged("patch", "whole");
    });
});

import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { mkdir, readdir, readFile, rename, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { before, describe, it } from "node:test";
import { atEnd, type Ending, endOfSuite, temporaryDirectory } from "../../../lab/basics/ending.ts";
import { type Lab, refused, startLab } from "../../../lab/devices/updating-device.ts";
import {
  answering,
  cutAfter,
  deafToRanges,
  dripping,
  endless,
  gzipped,
  instead,
  inTurn,
  redirectTo,
  silent,
  truncatedTo,
  withHeaders,
} from "../../../lab/publisher/behaviours.ts";
import { type Behaviour, startHostileServer } from "../../../lab/publisher/hostile-server.ts";
import { openServed } from "../../../lab/publisher/served.ts";
import { freeSpace } from "../../../src/host/linux/free-space.ts";
import { fetchPayload } from "../../../src/releases/download/payload.ts";
import { readSignedPayload } from "../../../src/releases/signed-payload.ts";
import { openStaged } from "../../../src/releases/staged-payload.ts";
import { caps as ownCaps } from "../../../src/tuf/caps.ts";
import type { FoundTarget } from "../../../src/tuf/client.ts";

const payload = randomBytes(1_500_000);
const anyPayload = /^targets\//;

async function fetchFrom(lab: Lab, found: FoundTarget, directory: string, caps = ownCaps, space = freeSpace) {
  const { repository, close } = openServed({ url: lab.server.origin, caps });
  const { signal } = new AbortController();
  const limits = { freeSpace: space, caps, signal, isConsistentSnapshot: true };
  try {
    return await fetchPayload({ repository, found, directory, ...limits });
  } finally {
    close();
  }
}

describe("a payload", () => {
  const suite = endOfSuite();
  let lab: Lab;
  let found: FoundTarget;
  before(async () => {
    lab = await startLab(suite);
    const { path } = lab.repository.addRelease({ version: "2.0.0", payload });
    lab.repository.publish("rules");
    const target = await (await lab.refresh()).find(path);
    assert.ok(target, "the release is signed");
    found = target;
  });

  async function fetching(test: Ending) {
    const directory = await temporaryDirectory(test);
    lab.server.files = lab.repository.files;
    lab.server.repent();
    const fetch = (some = {}) => fetchFrom(lab, found, directory, { ...ownCaps, ...some });
    return { directory, fetch, staged: () => readdir(join(directory, "staged")) };
  }

  /** Ends with the code, stages nothing, and the next good download succeeds. */
  async function withstands(test: Ending, behaviour: Behaviour, code: string, some = {}): Promise<void> {
    const { fetch, staged } = await fetching(test);
    lab.server.behave(anyPayload, behaviour);
    await refused(code, fetch(some));
    assert.deepEqual(await staged(), []);
    lab.server.repent();
    const { path } = await fetch();
    assert.ok((await readFile(path)).equals(payload), "what was staged is not what was signed");
  }

  const changed = Buffer.from(payload);
  changed[700_000] = (changed[700_000] ?? 0) ^ 1;
  const page = Buffer.from("<!doctype html><title>Sign in</title>");
  const soon = { rateWindowSeconds: 0.3, headSeconds: 0.3 };
  const attacks: [string, Behaviour, string, object?][] = [
    ["of an attacker's, of the same length", instead(randomBytes(payload.length)), "update_payload_mismatch"],
    ["with one bit changed", instead(changed), "update_payload_mismatch"],
    ["that is HTML", answering(200, page, { "content-type": "text/html" }), "update_web_page"],
    ["that is empty", instead(Buffer.alloc(0)), "update_payload_mismatch"],
    ["truncated, and said to be so long", truncatedTo(1_000_000), "update_payload_mismatch"],
    ["truncated, with no length", dripOnce(payload.subarray(0, 1_000)), "update_payload_mismatch"],
    ["without end (endless data, in bytes)", endless(), "update_too_large"],
    ["announced as longer than signed", endless({ "content-length": "9000000000" }), "update_too_large"],
    ["with one byte more than signed", dripOnce(Buffer.concat([payload, page])), "update_too_large"],
    ["in drips (endless data, in time)", dripping(100, 50), "update_too_slow", soon],
    ["that never comes", silent(), "update_too_slow", soon],
    ["cut off in the middle", cutAfter(400_000), "update_server_unreachable"],
    ["as gzip of another file", gzipped(changed), "update_payload_mismatch"],
    ["as a gzip bomb", gzipped(Buffer.alloc(100_000_000)), "update_too_large"],
    ["redirected in a loop", (one) => redirectTo(`/${one.path}`)(one), "update_server_refused"],
    ["that is missing", answering(404), "update_file_missing"],
    ["answered with 206 to no range", answering(206, payload), "update_server_refused"],
    ["answered with 500", answering(500), "update_server_unreachable"],
  ];
  for (const [name, behaviour, code, some] of attacks) {
    it(`${name} is not staged`, (test) => withstands(test, behaviour, code, some));
  }

  it("redirected to another origin is not fetched there", async (test) => {
    const other = await startHostileServer(test, lab.repository.files);
    const elsewhere: Behaviour = (exchange) => redirectTo(`${other.origin}/${exchange.path}`)(exchange);
    await withstands(test, elsewhere, "update_server_refused");
    assert.equal(other.requests.length, 0, "the other origin was asked");
  });

  const resuming: [string, Behaviour][] = [
    ["answers the whole file to a range", deafToRanges()],
    ["has another file by then, with another ETag", withHeaders({ etag: '"another"' })],
    ["has no such range any more", answering(416, "", { "content-range": "bytes */0" })],
  ];
  for (const [name, then] of resuming) {
    it(`cut off, from a server that then ${name}, is whole in the end`, async (test) => {
      const { fetch } = await fetching(test);
      lab.server.behave(anyPayload, inTurn(cutAfter(600_000), then, deafToRanges()));
      await refused("update_server_unreachable", fetch());
      const { path } = await fetch();
      assert.ok((await readFile(path)).equals(payload), "what was staged is not what was signed");
    });
  }

  it("cut off, and gone on with by other bytes, is asked for anew, refused when they come again, and begun anew", async (test) => {
    const { fetch, staged } = await fetching(test);
    const path = [...lab.repository.files.keys()].find((one) => one.includes("base-2.0.0")) ?? "";
    const evil = randomBytes(payload.length);
    lab.server.behave(
      path,
      inTurn(cutAfter(600_000), ({ request, response }) => {
        const from = Number(/bytes=(\d+)-/.exec(request.headers.range ?? "")?.[1] ?? 0);
        const range = `bytes ${from}-${payload.length - 1}/${payload.length}`;
        if (from === 0) response.writeHead(200).end(evil);
        else response.writeHead(206, { "content-range": range }).end(evil.subarray(from));
      }),
    );
    await refused("update_server_unreachable", fetch());
    await refused("update_payload_mismatch", fetch());
    assert.deepEqual(await staged(), []);
    lab.server.repent();
    assert.ok((await readFile((await fetch()).path)).equals(payload), "it was not begun anew");
  });

  it("swapped after it was verified is not used, and fetched again", async (test) => {
    const { fetch } = await fetching(test);
    const { path } = await fetch();
    await writeFile(path, changed);
    await refused("update_payload_mismatch", openStaged(path, readSignedPayload(found.file)));
    assert.ok((await readFile((await fetch()).path)).equals(payload), "the swapped one is still there");
  });

  it("swapped for a link to another file after it was verified is not followed", async (test) => {
    const { fetch, directory } = await fetching(test);
    const elsewhere = join(directory, "elsewhere");
    await mkdir(join(directory, "staged"));
    await writeFile(elsewhere, payload);
    const path = join(directory, "staged", `${readSignedPayload(found.file).id}.tar.gz`);
    await symlink(elsewhere, path);
    await refused("update_payload_mismatch", openStaged(path, readSignedPayload(found.file)));
    await fetch();
    const handle = await openStaged(path, readSignedPayload(found.file));
    assert.ok(handle, "it was not fetched");
    await handle.close();
  });

  it("swapped while it is open is the one that was verified", async (test) => {
    const { fetch } = await fetching(test);
    const { path } = await fetch();
    const handle = await openStaged(path, readSignedPayload(found.file));
    assert.ok(handle, "it is staged");
    atEnd(test, () => handle.close());
    await writeFile(`${path}.new`, changed);
    await rename(`${path}.new`, path);
    assert.ok((await handle.readFile()).equals(payload), "the swapped one was read");
  });

  it("that is longer than any this agent takes is refused before a byte is asked for", async (test) => {
    const { fetch } = await fetching(test);
    await refused("update_limit_exceeded", fetch({ payloadBytes: 1_000_000 }));
    assert.equal(lab.server.requests.length, 0);
  });

  it("for which the disk has no space is refused before a byte is asked for", async (test) => {
    const { directory } = await fetching(test);
    const work = fetchFrom(lab, found, directory, ownCaps, async () => 10_000_000);
    await refused("storage_full", work);
    assert.equal(lab.server.requests.length, 0);
  });
});

describe("an unsigned payload", () => {
  it("that lies on the server under a name that is not listed is not found", async (test) => {
    const lab = await startLab(test);
    const path = "stable/rules/unsigned-1.0.0.tar.gz";
    lab.server.files = new Map([...lab.repository.files, [`targets/${path}`, Buffer.from("evil")]]);
    assert.equal(await (await lab.refresh()).find(path), null);
  });

  const unsigned: [string, Record<string, string>][] = [
    ["no hash at all", {}],
    ["hashes that are known to be weak", { md5: "00".repeat(16), sha1: "00".repeat(20) }],
    ["a hash that is too short", { sha512: "00" }],
    ["a hash by way of the prototype", JSON.parse('{"constructor":"00"}') as Record<string, string>],
  ];
  for (const [name, hashes] of unsigned) {
    it(`whose entry has ${name} is not fetched`, async (test) => {
      const lab = await startLab(test, { pinned: false });
      const evil = lab.repository.fork();
      const { path, target } = evil.addRelease({ version: "2.0.0" });
      target.hashes = hashes;
      evil.publish("rules");
      lab.server.files = evil.files;
      const directory = await temporaryDirectory(test);
      const attack = async () => {
        const found = await (await lab.refresh()).find(path);
        await fetchFrom(lab, found ?? assert.fail("it is not listed"), directory);
      };
      await refused("update_metadata_malformed", attack());
      assert.deepEqual(await readdir(directory), []);
    });
  }
});

/** With no length in its head. */
function dripOnce(bytes: Buffer): Behaviour {
  return ({ response }) => void response.writeHead(200, { "transfer-encoding": "chunked" }).end(bytes);
}

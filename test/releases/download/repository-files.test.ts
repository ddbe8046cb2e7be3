import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { gzipSync } from "node:zlib";
import type { Transfers } from "../../../src/host/ports.ts";
import { readContentLength, validatorsOf } from "../../../src/releases/download/http-fields.ts";
import { openRepository, type RepositoryOptions } from "../../../src/releases/download/repository-files.ts";
import { caps } from "../../../src/tuf/caps.ts";

interface Answer {
  readonly status?: number;
  readonly headers?: Record<string, string>;
  readonly pieces?: readonly (string | Buffer)[];
}

/** A repository whose server answers this, and what it was asked. */
function opened(answer: Answer, options: Partial<RepositoryOptions> = {}) {
  const asked: { address: string; how: Parameters<Transfers["open"]>[1] }[] = [];
  let closed = 0;
  const transfers: Transfers = {
    open: async (address, how) => {
      asked.push({ address, how });
      const body = async function* () {
        for (const piece of answer.pieces ?? []) yield Buffer.from(piece);
      };
      const { status = 200, headers = {} } = answer;
      return {
        ...{ where: "updates.example", status, headers, body: body() },
        close: () => {
          closed += 1;
        },
      };
    },
  };
  const { signal } = new AbortController();
  const url = "https://updates.example/repository";
  const repository = openRepository({ transfers, url, caps, signal, ...options });
  return { repository, asked, signal, closed: () => closed };
}

const mostBytes = { maximumBytes: 10 };
const ending = new AbortController().signal;

describe("the address of a file", () => {
  const addressOf = async (name: string, url?: RepositoryOptions["url"]) => {
    const { repository, asked } = opened({}, url === undefined ? {} : { url });
    await repository.readMetadata(name, mostBytes);
    return asked[0]?.address;
  };
  const targetAt = async (path: string, url?: RepositoryOptions["url"]) => {
    const { repository, asked } = opened({}, url === undefined ? {} : { url });
    await repository.openTarget(path, {}, ending);
    return asked[0]?.address;
  };

  it("lies below metadata or targets, wherever these are", async () => {
    const { repository, asked } = opened({}, { url: "https://a.example/r///" });
    await repository.readMetadata("1.root.json", mostBytes);
    await repository.openTarget("stable/rules/a.tar.gz", {}, ending);
    const found = asked.map(({ address }) => address);
    assert.deepEqual(found, [
      "https://a.example/r/metadata/1.root.json",
      "https://a.example/r/targets/stable/rules/a.tar.gz",
    ]);
    const apart = { metadata: "file:///m/", targets: "file:///t//" };
    assert.equal(await addressOf("x", apart), "file:///m/x");
    assert.equal(await targetAt("x", apart), "file:///t/x");
  });

  it("quotes what is not unreserved", async () => {
    const found = await targetAt("a b/c!'()*?#%&é~._-");
    assert.equal(
      found,
      "https://updates.example/repository/targets/a%20b/c%21%27%28%29%2A%3F%23%25%26%C3%A9~._-",
    );
  });

  it("is refused where it would lead elsewhere, and nothing is asked", async () => {
    const isRefused = { code: "update_server_refused" };
    for (const path of ["", "/a", "a//b", "a/", "../a", "a/./b", "a\\b", "a\nb", "a\u0085b", "a/\ud800"])
      await assert.rejects(targetAt(path), isRefused, path);
    for (const name of ["", ".", "..", "\udfff"]) await assert.rejects(addressOf(name), isRefused, name);
    for (const url of ["https://a.example/?x", "https://a.example/#x"])
      assert.throws(() => opened({}, { url }), isRefused);
    await assert.rejects(addressOf("x", { metadata: "file:///m?x", targets: "file:///t" }), isRefused);
  });
});

describe("a metadata file", () => {
  it("comes with its validators, and every transfer is closed once", async () => {
    const headers = { etag: '"1"', "last-modified": "Fri, 20 Nov 2026 12:00:00 GMT" };
    const { repository, closed, asked, signal } = opened({ headers, pieces: ["01234", "56789"] });
    const file = await repository.readMetadata("a", mostBytes);
    assert.ok(file !== null && file !== "unchanged");
    assert.equal(Buffer.from(file.bytes).toString(), "0123456789");
    assert.deepEqual(file.validators, { etag: '"1"', last_modified: "Fri, 20 Nov 2026 12:00:00 GMT" });
    assert.deepEqual([closed(), repository.cost()], [1, { requests: 1, bodyBytes: 10 }]);
    assert.deepEqual(asked[0]?.how, { headers: {}, limits: caps, signal, acceptsGzip: true });
  });

  it("is refused where it is longer than it may be, as it says or as it comes", async () => {
    for (const answer of [{ pieces: ["0123456789", "x"] }, { headers: { "content-length": "11" } }]) {
      const { repository, closed } = opened(answer);
      await assert.rejects(repository.readMetadata("a", mostBytes), { code: "update_too_large" });
      assert.equal(closed(), 1);
    }
    const { repository } = opened({ headers: { "content-length": "10" } });
    await repository.readMetadata("a", mostBytes);
  });

  it("is asked for with what is known of it, and is unchanged only then", async () => {
    const known = { etag: '"1"', last_modified: "Fri, 20 Nov 2026 12:00:00 GMT" };
    const { repository, asked, closed } = opened({ status: 304 });
    assert.equal(await repository.readMetadata("a", { ...mostBytes, known }), "unchanged");
    for (const less of [{ etag: "no tag", last_modified: "no date" }, undefined])
      await assert.rejects(repository.readMetadata("a", { ...mostBytes, ...(less && { known: less }) }), {
        code: "update_server_refused",
      });
    await repository.readMetadata("a", { ...mostBytes, known: { ...known, etag: null } });
    const hows = asked.map(({ how }) => how.headers);
    assert.deepEqual(hows, [
      { "if-none-match": '"1"' },
      {},
      {},
      { "if-modified-since": known.last_modified },
    ]);
    assert.equal(closed(), 4);
  });

  it("is unpacked where the server compressed it, up to the limit of what it is", async () => {
    const sent = (text: string, coding = "gzip") => {
      const body = gzipSync(text);
      return opened({
        headers: { "content-encoding": coding, "content-length": String(body.length) },
        pieces: [body.subarray(0, 3), body.subarray(3)],
      });
    };
    for (const coding of ["gzip", "X-GZIP", " gzip "]) {
      const { repository, closed } = sent("0123456789", coding);
      const file = await repository.readMetadata("a", mostBytes);
      assert.ok(file !== null && file !== "unchanged");
      assert.equal(Buffer.from(file.bytes).toString(), "0123456789");
      // The cost counts the bytes that went over the network.
      assert.deepEqual([closed(), repository.cost().bodyBytes], [1, gzipSync("0123456789").length]);
    }
    const { repository } = sent("0123456789x");
    await assert.rejects(repository.readMetadata("a", mostBytes), {
      code: "update_too_large",
      message: '"a" is longer than 10 bytes.',
    });
  });

  it("is asked for as gzip, and the timestamp and payloads as they are", async () => {
    const { repository, asked } = opened({});
    for (const name of ["2.root.json", "7.rules.json", "timestamp.json"])
      await repository.readMetadata(name, mostBytes);
    await repository.openTarget("stable/rules/a.tar.gz", {}, ending);
    const hows = asked.map(({ how }) => how.acceptsGzip ?? false);
    assert.deepEqual(hows, [true, true, false, false]);
  });

  it("is asked for past the caches on the way where it is the timestamp, which alone changes under its name", async () => {
    const { repository, asked } = opened({});
    for (const name of ["timestamp.json", "2.root.json", "7.snapshot.json"])
      await repository.readMetadata(name, mostBytes);
    const hows = asked.map(({ how }) => how.headers);
    assert.deepEqual(hows, [{ "cache-control": "no-cache" }, {}, {}]);
  });

  it("tells the report with the timestamp alone", async () => {
    const { repository, asked } = opened({}, { report: "steward/1" });
    await repository.readMetadata("timestamp.json", mostBytes);
    await repository.readMetadata("1.root.json", mostBytes);
    await repository.openTarget("timestamp.json", {}, ending);
    const hows = asked.map(({ how }) => how.originHeaders);
    assert.deepEqual(hows, [{ "steward-report": "steward/1" }, undefined, undefined]);
    const silent = opened({}, { report: null });
    await silent.repository.readMetadata("timestamp.json", mostBytes);
    assert.ok(!("originHeaders" in (silent.asked[0]?.how ?? {})));
  });

  it("is absent, refused or not to be had now, by the server's answer", async () => {
    for (const [status, name] of [
      [404, "a"],
      [410, "a"],
      ...([400, 403, 404, 410] as const).map((status) => [status, "2.root.json"] as const),
    ] as const) {
      const { repository, closed } = opened({ status });
      assert.deepEqual([await repository.readMetadata(name, mostBytes), closed()], [null, 1]);
    }
    for (const [status, code] of [
      [403, "update_file_missing"],
      [206, "update_server_refused"],
      [400, "update_server_refused"],
      [428, "update_server_refused"],
      [499, "update_server_refused"],
      [429, "update_server_unreachable"],
      [500, "update_server_unreachable"],
      [503, "update_server_unreachable"],
    ] as const) {
      const { repository, closed } = opened({ status, headers: { "retry-after": "7" } });
      const details = code === "update_server_unreachable" ? { retryAfterSeconds: 7 } : {};
      await assert.rejects(repository.readMetadata("a", mostBytes), { code, details });
      assert.equal(closed(), 1);
    }
    const { repository } = opened({ status: 503 });
    await assert.rejects(repository.readMetadata("a", mostBytes), { details: {} });
  });
});

describe("a target", () => {
  it("is missing, refused or not to be had now, by the server's answer, and closed", async () => {
    for (const [status, code] of [
      [403, "update_file_missing"],
      [404, "update_file_missing"],
      [410, "update_file_missing"],
      [304, "update_server_refused"],
      [401, "update_server_refused"],
      [429, "update_server_unreachable"],
      [502, "update_server_unreachable"],
    ] as const) {
      const { repository, closed } = opened({ status });
      await assert.rejects(repository.openTarget("a", {}, ending), { code });
      assert.equal(closed(), 1, String(status));
    }
  });
});

const date = "Sun, 06 Nov 1994 08:49:37 GMT";

describe("readContentLength", () => {
  for (const text of [undefined, "", "-1", "1e3", "0x10", "1, 1", "9".repeat(17)]) {
    it(`understands nothing of ${JSON.stringify(text)}`, () => assert.equal(readContentLength(text), null));
  }

  it("reads bytes", () => assert.equal(readContentLength("268435456"), 268_435_456));
});

describe("validatorsOf", () => {
  it("leaves out malformed or overlong fields", () => {
    const bad = { etag: `"${"x".repeat(300)}"`, "last-modified": "yesterday" };
    assert.deepEqual(validatorsOf(bad), { etag: null, last_modified: null });
    assert.deepEqual(validatorsOf({ etag: "unquoted" }), { etag: null, last_modified: null });
  });

  it("keeps a tag of 256 bytes, and none that is longer", () => {
    const [tag, longer] = [254, 255].map((length) => `"${"x".repeat(length)}"`);
    assert.equal(validatorsOf({ etag: tag }).etag, tag);
    assert.equal(validatorsOf({ etag: longer }).etag, null);
  });

  it("keeps what can be sent back", () => {
    assert.deepEqual(validatorsOf({ etag: 'W/"1"', "last-modified": date }), {
      etag: 'W/"1"',
      last_modified: date,
    });
  });
});

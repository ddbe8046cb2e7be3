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

const mostBytes = { maximumBytes: 10 };
const { signal } = new AbortController();

/** A repository whose server answers this, and what it was asked. */
function opened(
  { status = 200, headers = {}, pieces = [] }: Answer,
  options: Partial<RepositoryOptions> = {},
) {
  const asked: ({ address: string } & Parameters<Transfers["open"]>[1])[] = [];
  let closed = 0;
  const close = (): void => {
    closed += 1;
  };
  const transfers: Transfers = {
    open: async (address, how) => {
      asked.push({ address, ...how });
      const body = async function* () {
        for (const piece of pieces) yield Buffer.from(piece);
      };
      return { where: "updates.example", status, headers, body: body(), close };
    },
  };
  const url = "https://updates.example/repository";
  const repository = openRepository({ transfers, url, caps, signal, ...options });
  const textOf = async (name: string, limits = {}): Promise<string | null> => {
    const file = await repository.readMetadata(name, { ...mostBytes, ...limits });
    return file === null || file === "unchanged" ? file : Buffer.from(file.bytes).toString();
  };
  const target = (path: string) => repository.openTarget(path, {}, signal);
  return { repository, textOf, target, asked, closed: () => closed };
}

describe("the address of a file", () => {
  const ofMetadata = async (name: string, url = "https://a.example" as RepositoryOptions["url"]) => {
    const { textOf, asked } = opened({}, { url });
    await textOf(name);
    return asked[0]?.address;
  };
  const ofTarget = async (path: string, url = "https://a.example" as RepositoryOptions["url"]) => {
    const { target, asked } = opened({}, { url });
    await target(path);
    return asked[0]?.address;
  };

  it("lies below metadata or targets, wherever these are, with all quoted that is not unreserved", async () => {
    assert.equal(
      await ofMetadata("1.root.json", "https://a.example/r///"),
      "https://a.example/r/metadata/1.root.json",
    );
    const target = await ofTarget("a b/c!'()*?#%&é~._-", "https://a.example/r///");
    assert.equal(target, "https://a.example/r/targets/a%20b/c%21%27%28%29%2A%3F%23%25%26%C3%A9~._-");
    const apart = { metadata: "file:///m/", targets: "file:///t//" };
    assert.deepEqual(
      [await ofMetadata("x", apart), await ofTarget("x", apart)],
      ["file:///m/x", "file:///t/x"],
    );
  });

  it("is refused where it would lead elsewhere", async () => {
    const isRefused = { code: "update_server_refused" };
    for (const path of ["", "/a", "a//b", "a/", "../a", "a/./b", "a\\b", "a\nb", "a\u0085b", "a/\ud800"])
      await assert.rejects(ofTarget(path), isRefused, path);
    for (const name of ["", ".", "..", "\udfff"]) await assert.rejects(ofMetadata(name), isRefused, name);
    for (const url of ["https://a.example/?x", "https://a.example/#x"])
      assert.throws(() => opened({}, { url }), isRefused);
    await assert.rejects(ofMetadata("x", { metadata: "file:///m?x", targets: "file:///t" }), isRefused);
  });
});

const known = { etag: '"1"', last_modified: "Fri, 20 Nov 2026 12:00:00 GMT" };
const isRefused = { code: "update_server_refused" };

describe("a metadata file", () => {
  it("comes with its validators, and every transfer is closed once", async () => {
    const headers = { etag: known.etag, "last-modified": known.last_modified };
    const { repository, closed, asked } = opened({ headers, pieces: ["01234", "56789"] });
    const file = await repository.readMetadata("a", mostBytes);
    assert.deepEqual(file, { bytes: Buffer.from("0123456789"), validators: known });
    assert.deepEqual([closed(), repository.cost()], [1, { requests: 1, bodyBytes: 10 }]);
    const address = "https://updates.example/repository/metadata/a";
    assert.deepEqual(asked, [{ address, headers: {}, limits: caps, signal, acceptsGzip: true }]);
  });

  it("is refused where it is longer than it may be, as it says or as it comes", async () => {
    for (const answer of [{ pieces: ["0123456789", "x"] }, { headers: { "content-length": "11" } }]) {
      const { textOf, closed } = opened(answer);
      await assert.rejects(textOf("a"), { code: "update_too_large" });
      assert.equal(closed(), 1);
    }
    await opened({ headers: { "content-length": "10" } }).textOf("a");
  });

  it("is asked for with what is known of it, and is unchanged only then", async () => {
    const { textOf, asked, closed } = opened({ status: 304 });
    assert.equal(await textOf("a", { known }), "unchanged");
    for (const less of [{ known: { etag: "no tag", last_modified: "no date" } }, {}])
      await assert.rejects(textOf("a", less), isRefused);
    await textOf("a", { known: { ...known, etag: null } });
    const headers = [{ "if-none-match": '"1"' }, {}, {}, { "if-modified-since": known.last_modified }];
    const found = asked.map((how) => how.headers);
    assert.deepEqual(found, headers);
    assert.equal(closed(), 4);
  });

  it("is unpacked where the server compressed it, up to the limit of what it is", async () => {
    const sent = (text: string, coding = "gzip") => {
      const body = gzipSync(text);
      const headers = { "content-encoding": coding, "content-length": String(body.length) };
      return { body, ...opened({ headers, pieces: [body.subarray(0, 3), body.subarray(3)] }) };
    };
    for (const coding of ["gzip", "X-GZIP", " gzip "]) {
      const { textOf, repository, closed, body } = sent("0123456789", coding);
      assert.equal(await textOf("a"), "0123456789");
      // The cost counts the bytes that went over the network.
      assert.deepEqual([closed(), repository.cost().bodyBytes], [1, body.length]);
    }
    const isTooLarge = { code: "update_too_large", message: '"a" is longer than 10 bytes.' };
    await assert.rejects(sent("0123456789x").textOf("a"), isTooLarge);
  });

  it("is asked for as gzip, but as it is, past caches and with the report where it is the timestamp", async () => {
    const { textOf, target, asked } = opened({}, { report: "steward/1" });
    for (const name of ["2.root.json", "7.rules.json", "timestamp.json"]) await textOf(name);
    await target("timestamp.json");
    assert.deepEqual(
      asked.map(({ headers, acceptsGzip, originHeaders }) => [headers, acceptsGzip, originHeaders]),
      [
        [{}, true, undefined],
        [{}, true, undefined],
        [{ "cache-control": "no-cache" }, undefined, { "steward-report": "steward/1" }],
        [{}, undefined, undefined],
      ],
    );
    const silent = opened({}, { report: null });
    await silent.textOf("timestamp.json");
    assert.ok(!("originHeaders" in (silent.asked[0] ?? {})));
  });
});

describe("a file that the server does not send", () => {
  for (const [code, metadata, targets] of [
    ["update_file_missing", [403], [403, 404, 410]],
    ["update_server_refused", [206, 400, 428, 499], [304, 401]],
    ["update_server_unreachable", [429, 500, 503], [429, 502]],
  ] as const)
    it(`ends with ${code}, and is closed`, async () => {
      const details = code === "update_server_unreachable" ? { retryAfterSeconds: 7 } : {};
      const headers = { "retry-after": "7" };
      for (const status of metadata) {
        const { textOf, closed } = opened({ status, headers });
        await assert.rejects(textOf("a"), { code, details }, String(status));
        assert.equal(closed(), 1);
      }
      for (const status of targets) {
        const { target, closed } = opened({ status, headers });
        await assert.rejects(target("a"), { code, details }, String(status));
        assert.equal(closed(), 1);
      }
    });

  it("is none where it is metadata that are not there, or the next root, whatever the server means by that", async () => {
    for (const [name, statuses] of Object.entries({ a: [404, 410], "2.root.json": [400, 403, 404, 410] }))
      for (const status of statuses) {
        const { textOf, closed } = opened({ status });
        assert.deepEqual([await textOf(name), closed()], [null, 1]);
      }
  });

  it("may be asked for at any time where the server names none", () =>
    assert.rejects(opened({ status: 503 }).textOf("a"), { details: {} }));
});

describe("the fields of an answer", () => {
  it("give its length only where that is a number of bytes", () => {
    assert.equal(readContentLength("268435456"), 268_435_456);
    for (const text of [undefined, "", "-1", "1e3", "0x10", "1, 1", "9".repeat(17)])
      assert.equal(readContentLength(text), null, text);
  });

  it("give validators that can be sent back, and none that are malformed or longer than 256 bytes", () => {
    const tag = (length: number) => `"${"x".repeat(length - 2)}"`;
    for (const [etag, lastModified, expected] of [
      ['W/"1"', known.last_modified, { etag: 'W/"1"', last_modified: known.last_modified }],
      [tag(256), undefined, { etag: tag(256), last_modified: null }],
      [tag(257), "yesterday", { etag: null, last_modified: null }],
      ["unquoted", undefined, { etag: null, last_modified: null }],
    ] as const)
      assert.deepEqual(validatorsOf({ etag, "last-modified": lastModified }), expected);
  });
});

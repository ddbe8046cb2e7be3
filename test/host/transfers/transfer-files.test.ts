import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { pathToFileURL } from "node:url";
import { scratchDirectory } from "../../../lab/basics/scratch.ts";
import { plainRequest, readText } from "../../../lab/host/web-server.ts";
import { createTransfers } from "../../../src/host/linux/transfers/transfers.ts";

const directory = scratchDirectory();
writeFileSync(join(directory, "a"), "0123456789");
writeFileSync(join(directory, "b ?#%"), "odd");
mkdirSync(join(directory, "folder"));
symlinkSync("a", join(directory, "link"));
execFileSync("mkfifo", [join(directory, "fifo")]);

function open(name: string, headers: Record<string, string> = {}, signal = new AbortController().signal) {
  const transfers = createTransfers({ redirects: 0, allowLocalServers: false });
  return transfers.open(`${pathToFileURL(directory).href}/${name}`, plainRequest({ headers, signal }));
}

describe("transfers from a directory", () => {
  for (const name of ["link", "fifo", "../a", "folder/%2e%2e/a", "folder/..\\a"])
    it(`refuse ${name}`, () => assert.rejects(open(name), { name: "TransferFailure", kind: "refused" }));

  it("refuse another host's files", async () => {
    const transfers = createTransfers({ redirects: 0, allowLocalServers: true });
    await assert.rejects(transfers.open("file://other/etc/hostname", plainRequest()), { kind: "refused" });
  });

  const answers: [name: string, range: string | null, status: number, text?: string][] = [
    ...["absent", "folder", "a/b", "folder%2F..%2Fa", "a%00", "x".repeat(300)].map(
      (name): [string, null, number] => [name, null, 404],
    ),
    ["a", null, 200, "0123456789"],
    ["b%20%3F%23%25", null, 200, "odd"],
    ["a", "bytes=7-", 206, "789"],
    ["a", "bytes=10-", 416],
  ];
  for (const [name, range, expected, text] of answers)
    it(`answer ${expected} to ${name.slice(0, 20)}${range === null ? "" : ` from ${range}`}`, async () => {
      const answer = await open(name, range === null ? {} : { range });
      assert.equal(answer.status, expected);
      if (text === undefined) return;
      const { "content-length": length, "content-range": part } = answer.headers;
      assert.deepEqual([length, part], [`${text.length}`, range === null ? undefined : "bytes 7-9/10"]);
      assert.equal(await readText(answer), text);
    });

  it("end with the signal's reason", async () => {
    const reason = new Error("enough");
    await assert.rejects(open("a", {}, AbortSignal.abort(reason)), reason);
  });
});

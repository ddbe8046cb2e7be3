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
  for (const name of ["link", "fifo", "../a", "folder/%2e%2e/a", "folder/..\\a"]) {
    it(`refuse ${name}`, async () => {
      await assert.rejects(open(name), { name: "TransferFailure", kind: "refused" });
    });
  }

  it("refuse another host's files", async () => {
    const transfers = createTransfers({ redirects: 0, allowLocalServers: true });
    await assert.rejects(transfers.open("file://other/etc/hostname", plainRequest()), {
      kind: "refused",
    });
  });

  for (const name of ["absent", "folder", "a/b", "folder%2F..%2Fa", "a%00", "x".repeat(300)]) {
    it(`answer 404 to ${name.slice(0, 20)}`, async () => {
      assert.equal((await open(name)).status, 404);
    });
  }

  it("give the whole file", async () => {
    const answer = await open("a");
    assert.equal(answer.status, 200);
    assert.equal(answer.headers["content-length"], "10");
    assert.equal(await readText(answer), "0123456789");
  });

  it("find quoted names", async () => {
    assert.equal(await open("b%20%3F%23%25").then(readText), "odd");
  });

  it("give the rest from a byte on", async () => {
    const answer = await open("a", { range: "bytes=7-" });
    assert.equal(answer.status, 206);
    assert.equal(answer.headers["content-range"], "bytes 7-9/10");
    assert.equal(await readText(answer), "789");
  });

  it("answer 416 beyond the end", async () => {
    assert.equal((await open("a", { range: "bytes=10-" })).status, 416);
  });

  it("end with the signal's reason", async () => {
    const reason = new Error("enough");
    await assert.rejects(open("a", {}, AbortSignal.abort(reason)), reason);
  });
});

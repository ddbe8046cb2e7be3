import assert from "node:assert/strict";
import { chmodSync, chownSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { readRequestHeaders } from "../../../src/host/linux/host-file/request-headers.ts";
import { device, put } from "./key-device.ts";

const own = process.getuid?.();

function place() {
  const path = join(device().stateDirectory, "../etc/otlp-headers");
  const refuse = (at: string, what: string) => new Error(`${at} ${what}.`);
  return { path, read: () => readRequestHeaders(path, { own, refuse }) };
}

describe("the headers for a collector", () => {
  for (const [name, text, words] of [
    ["a line without a colon", "authorization Basic eA==", /line 1 that is not of the form/],
    ["a name with a blank", "a b: c", /line 1 that is not/],
    ["no value", "authorization:", /line 1 that is not/],
    ["a value with a control character", "# x\na: b\u0007c", /line 2 that is not/],
    ["a value beyond ASCII", "a: ä", /line 1 that is not/],
    ["a header of the request itself", "Content-Length: 0", /names the header Content-Length in line 1/],
    ["another host", "host: x", /names the header host/],
    ["nothing", "\n", /does not exist or is empty/],
  ] as const)
    it(`are refused with ${name}`, async () => {
      const { path, read } = place();
      put(path, text);
      await assert.rejects(read(), words);
    });

  it("are refused where there is no file, or another user could read or write it", async () => {
    const { path, read } = place();
    await assert.rejects(read(), /does not exist or is empty/);
    put(path, "a: b");
    chmodSync(path, 0o644);
    await assert.rejects(read(), /can be read by every user.*chmod 640/);
    chmodSync(path, 0o660);
    await assert.rejects(read(), /writable by no other user/);
  });

  it("are lines of names and values, without comments, read again each time", async () => {
    const { path, read } = place();
    put(path, "# Grafana Cloud\nAuthorization:  Basic eA==\t\r\n\nX-Scope-OrgID: plant: 7\n");
    assert.deepEqual(await read(), { authorization: "Basic eA==", "x-scope-orgid": "plant: 7" });
    put(path, "a: b");
    assert.deepEqual(await read(), { a: "b" });
  });

  it("that another user has written are refused", { skip: own !== 0 && "takes root" }, async () => {
    const { path, read } = place();
    put(path, "a: b");
    chownSync(path, 65_534, 0);
    await assert.rejects(read(), /must belong to root/);
  });
});

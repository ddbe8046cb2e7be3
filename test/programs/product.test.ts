import assert from "node:assert/strict";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { scratchDirectory } from "../../lab/basics/scratch.ts";
import type { ProductPage } from "../../src/product/visits.ts";
import { openProduct } from "../../src/programs/agent/product/wire-product.ts";

const page: ProductPage = {
  ...{ name: "pump", title: { en: "Pump" }, origin: "https://edge-7.example.net:444" },
  ...{ role: "operator", secretFile: null, signIn: "https://edge-7.example.net:8443" },
};

interface Named {
  readonly name?: string;
  readonly pages?: readonly ProductPage[];
  readonly units?: readonly string[];
  readonly versionFile?: string | null;
  /** The version of the release in force. */
  readonly binary?: string | null;
}

function opened({ name = "pump-7", pages = [page], units = [], versionFile = null, binary = null }: Named) {
  return openProduct({
    config: { product: { name, pages, units, versionFile } },
    auth: {},
    host: { identity: { deviceId: "a".repeat(32) }, time: { uptime: () => 0 } },
    updates: { status: () => ({ installed: { rules: null, binary } }) },
  } as unknown as Parameters<typeof openProduct>[0]);
}

describe("the product that the host file names", () => {
  const path = (): string => join(scratchDirectory(), "version");

  it("is none where it names neither a product nor a page, and else has the pages for a role", async () => {
    const seen = async (named: Named, role: "operator" | "readonly" = "operator") => {
      const product = (await opened(named)).seenBy(role);
      return product && [product.name, product.pages.length];
    };
    assert.equal(await seen({ name: "steward", pages: [] }), null);
    assert.equal(await seen({ name: "steward", pages: [], units: ["pump.service"] }), null);
    assert.deepEqual(await seen({ pages: [] }), ["pump-7", 0]);
    assert.deepEqual(await seen({ name: "steward" }), ["steward", 1]);
    assert.deepEqual(await seen({}, "readonly"), ["pump-7", 0]);
  });

  it("lets its units follow sessions and ask about tokens, also without a page", async () => {
    for (const [pages, units, isThere] of [
      [[], [], false],
      [[], ["pump.service"], true],
      [[page], ["pump.service"], true],
    ] as const) {
      const { follow, introspect } = await opened({ pages, units });
      assert.deepEqual([follow !== null, introspect !== null], [isThere, isThere]);
    }
  });

  it("has the version of its release in force, else that of its own file, and Steward's never", async () => {
    const versionFile = path();
    writeFileSync(versionFile, "2.4.0");
    for (const [named, version] of [
      [{ binary: "3.0.0", versionFile }, "3.0.0"],
      [{ versionFile }, "2.4.0"],
      [{ name: "steward", binary: "1.0.0", versionFile }, "2.4.0"],
      [{ name: "steward", binary: "1.0.0" }, null],
    ] as const)
      assert.equal((await opened(named)).seenBy("admin")?.version, version);
  });

  const linkTo = (text: string) => (file: string) => {
    const present = path();
    writeFileSync(present, text);
    symlinkSync(present, file);
  };

  it("takes the first line of that file, as far as it can be seen, and none of a file that is odd", async () => {
    for (const [what, make, version] of [
      ["with the next line", (file) => writeFileSync(file, " 2.4.0 \nbuilt on Monday\n"), "2.4.0"],
      ["of Windows", (file) => writeFileSync(file, "\ufeff2.4.0\r\n"), "2.4.0"],
      ["with control characters", (file) => writeFileSync(file, "2.4\u001b[2J\u0000.0\u202e\n"), "2.4[2J.0"],
      ["with nothing else", (file) => writeFileSync(file, "\u0007\u202e ä\n2.4.0"), null],
      ["no text", (file) => writeFileSync(file, Buffer.from([0xff, 0xfe, 0x32, 0x00])), "2"],
      ["long", (file) => writeFileSync(file, "7".repeat(4_096)), "7".repeat(64)],
      ["empty", (file) => writeFileSync(file, ""), null],
      ["of 5 KB", (file) => writeFileSync(file, `2.4.0\n${"x".repeat(5_000)}`), null],
      ["a directory", (file) => mkdirSync(file), null],
      ["a link to the present one", linkTo("2.4.0\n"), "2.4.0"],
      ["a link to nothing", (file) => symlinkSync("/nowhere/version", file), null],
      ["a link to a device", (file) => symlinkSync("/dev/zero", file), null],
      ["absent", () => undefined, null],
    ] as readonly (readonly [string, (file: string) => unknown, string | null])[]) {
      const versionFile = path();
      make(versionFile);
      assert.equal((await opened({ versionFile })).seenBy("admin")?.version, version, what);
    }
  });
});

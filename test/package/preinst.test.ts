import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, it } from "node:test";
import { scratchDirectory } from "../../lab/basics/scratch.ts";
import { install } from "../../scripts/install/files.ts";

// Accounts have scenarios of their own.
const preinst = readFileSync(
  join(import.meta.dirname, "../../scripts/package/debian/steward.preinst"),
  "utf8",
).replace("@ACCOUNTS@", ":");

const filesBelow = (tree: string): string[] =>
  readdirSync(tree, { recursive: true, encoding: "utf8" }).filter((path) =>
    lstatSync(join(tree, path)).isFile(),
  );

describe("the package that takes the place of make install", () => {
  it("takes away all that was put there, and no file of another program", async () => {
    const root = scratchDirectory();
    await install({ destination: root, prefix: "/usr" });
    const others = [
      "usr/lib/systemd/system/wine-steward.service",
      "usr/lib/systemd/system/stewardship.timer",
      "usr/share/man/man1/stewards.1",
    ];
    for (const path of others) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), "of another program");
    }
    // No package has any of them.
    const query = join(root, "usr/sbin/dpkg-query");
    mkdirSync(dirname(query), { recursive: true });
    writeFileSync(query, "#!/bin/sh\nexit 1\n", { mode: 0o755 });
    const script = preinst.replace(/(^|[\s=])\/(usr|etc)\//gm, `$1${root}/$2/`);
    execFileSync("sh", ["-c", script, "preinst", "install"]);
    const left = filesBelow(root).filter((path) => join(root, path) !== query);
    assert.deepEqual(left.sort(), [...others].sort());
  });
});

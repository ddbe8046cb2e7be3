import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { describe, it } from "node:test";
import { scratchDirectory } from "../../lab/basics/scratch.ts";
import { install } from "../../scripts/install/files.ts";
import { pack } from "../../scripts/package/deb.ts";

const scripts = join(import.meta.dirname, "../../scripts");
const directory = scratchDirectory();

const example = {
  ...{ name: "steward-timekeeper", architecture: "all", version: "1.2.3", date: 1_767_225_600 },
  words: { version: "1.2.3" },
};

/** A package of two files, made in a directory of its own at another time. */
function packed(name: string, seconds: number): string {
  const tree = join(directory, name, "tree");
  mkdirSync(join(tree, "usr/share/doc"), { recursive: true });
  const names = ["usr/share/doc/one", "usr/share/doc/two"];
  for (const path of seconds % 2 === 0 ? names : names.toReversed()) {
    writeFileSync(join(tree, path), `${path}\n`);
    utimesSync(join(tree, path), seconds, seconds);
  }
  const umask = process.umask(seconds % 2 === 0 ? 0o022 : 0o077);
  try {
    return pack(example, tree, join(directory, name));
  } finally {
    process.umask(umask);
  }
}

const ask = (...args: readonly string[]): string => execFileSync("dpkg-deb", args, { encoding: "utf8" });

describe("a Debian package that the build makes", () => {
  const path = packed("first", 1_000_000_000);

  it("has the same bytes when it is made elsewhere, at another time, in another order and under another umask", () => {
    const other = packed("second", 1_500_000_001);
    assert.ok(readFileSync(path).equals(readFileSync(other)), `cmp ${path} ${other}`);
  });

  it("has the members of debian/control, with what the build knows", () => {
    const fields = ["Package", "Source", "Version", "Architecture", "Depends", "Provides", "Conflicts"];
    assert.equal(
      ask("--field", path, ...fields),
      `Package: steward-timekeeper
Source: steward
Version: 1.2.3
Architecture: all
Depends: steward (= 1.2.3)
Provides: time-daemon
Conflicts: time-daemon
`,
    );
  });

  it("holds its files as root's, all of the same date", () => {
    const lines = ask("--contents", path).trim().split("\n");
    assert.equal(lines.length, 6);
    for (const line of lines) assert.match(line, / root\/root .* 2026-01-01 /);
  });

  it("is not made where a word of debian/ has no value", () => {
    const tree = join(directory, "wordless");
    mkdirSync(tree);
    assert.throws(
      () => pack({ ...example, words: {} }, tree, directory),
      /steward-timekeeper: its files of debian\/ name "version", which has no value/,
    );
  });
});

describe("the package that takes the place of make install", () => {
  it("takes away all that was put there, and no file of another program", async () => {
    const root = mkdtempSync(join(directory, "root-"));
    await install({ destination: root, prefix: "/usr" });
    const others = [
      "usr/lib/systemd/system/stewardship.timer",
      "usr/lib/systemd/system/wine-steward.service",
      "usr/share/man/man1/stewards.1",
    ];
    for (const path of others) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), "of another program");
    }
    // No package has any of them.
    mkdirSync(join(root, "usr/sbin"));
    writeFileSync(join(root, "usr/sbin/dpkg-query"), "#!/bin/sh\nexit 1\n", { mode: 0o755 });
    // Accounts have scenarios of their own.
    const preinst = readFileSync(join(scripts, "package/debian/steward.preinst"), "utf8")
      .replace("@ACCOUNTS@", ":")
      .replace(/(^|[\s=])\/(usr|etc)\//gm, `$1${root}/$2/`);
    execFileSync("sh", ["-c", preinst, "preinst", "install"]);
    const left = readdirSync(root, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name !== "dpkg-query")
      .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1));
    assert.deepEqual(left.sort(), others);
  });
});

/** The Debian packages that are asked for on a PC with no tool, by a user who may install none. */
function neededFor(...machines: readonly string[]): string {
  const PATH = mkdtempSync(join(directory, "path-"));
  symlinkSync("/bin/sh", join(PATH, "sh"));
  symlinkSync("/usr/bin/dirname", join(PATH, "dirname"));
  for (const [name, says] of Object.entries({ id: "1000", uname: "x86_64" }))
    writeFileSync(join(PATH, name), `#!/bin/sh\necho ${says}\n`, { mode: 0o755 });
  const words = [join(scripts, "packages.sh"), "package", ...machines];
  const { status, stderr } = spawnSync("/bin/sh", words, { env: { PATH }, encoding: "utf8" });
  assert.equal(status, 1, stderr);
  return stderr;
}

describe("make package", () => {
  for (const [machines, needs, not] of [
    [["amd64"], /lintian gcc-x86-64-linux-gnu/, /arm64|aarch64|qemu/],
    [["arm64"], /gcc-aarch64-linux-gnu .*qemu-user-static/, /x86-64/],
    [[], /gcc-x86-64-linux-gnu .*gcc-aarch64-linux-gnu/, /undefined/],
  ] as const)
    it(`for ${machines[0] ?? "all"} needs the tools for it, and no others`, () => {
      const needed = neededFor(...machines);
      assert.match(needed, needs);
      assert.doesNotMatch(needed, not);
    });
});

import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { sampled } from "../../../lab/basics/counts.ts";
import { type Ending, endOfSuite } from "../../../lab/basics/ending.ts";
import { type Lab, recovers, refused, startLab, withstands } from "../../../lab/devices/updating-device.ts";
import { canonical } from "../../../lab/publisher/canonical.ts";
import type { Tampering } from "../../../lab/publisher/signed-forms.ts";
import { readRelease } from "../../../src/releases/release.ts";
import { attacked, delegateFrom, refusedAt } from "./fixture.ts";

type Change = NonNullable<Tampering["asServed"]>;

const order = ["timestamp", "snapshot", "targets"];

/** The attacker holds every key but must not break the reader: the file is signed, and then its text is what it is. */
async function withText(lab: Lab, role: string, change: (text: string) => string | Buffer): Promise<void> {
  const evil = lab.repository.fork();
  const asServed: Change = (written, bytes) =>
    written === role ? Buffer.from(change(bytes.toString("utf8"))) : bytes;
  evil.tampering = { asServed };
  if (role === "root") evil.publishRoot();
  evil.publish("targets", "rules");
  lab.server.files = evil.files;
}

/** Behind the brace that opens `signed`. */
function insideSigned(text: string, members: string): string {
  return text.replace('"signed": {', `"signed": {${members},`);
}

const malformed: [string, (text: string) => string | Buffer][] = [
  ["deep JSON", (text) => insideSigned(text, `"x": ${"[".repeat(200)}${"]".repeat(200)}`)],
  ["JSON as deep as the file may be long", () => "[".repeat(16_000)],
  ["objects nested deep", (text) => insideSigned(text, `"x": ${'{"a":'.repeat(99)}1${"}".repeat(99)}`)],
  ["a huge integer", (text) => text.replace(/"version": \d+/, '"version": 99999999999999999999')],
  [
    "an integer that a double rounds",
    (text) => text.replace(/"version": \d+/, '"version": 9007199254740993'),
  ],
  ["a version with an exponent", (text) => text.replace(/"version": \d+/, '"version": 1e3')],
  ["a version with a fraction", (text) => text.replace(/"version": \d+/, '"version": 9.0')],
  ["a negative version", (text) => text.replace(/"version": \d+/, '"version": -1')],
  ["version zero", (text) => text.replace(/"version": \d+/, '"version": 0')],
  ["a version that is text", (text) => text.replace(/"version": \d+/, '"version": "9"')],
  ["a number of a thousand digits", (text) => insideSigned(text, `"x": ${"9".repeat(1_000)}`)],
  ["minus zero", (text) => insideSigned(text, '"x": -0')],
  ["a duplicate member in the signed part", (text) => insideSigned(text, '"version": 1')],
  ["a duplicate signed", (text) => text.replace('"signed": {', '"signed": {}, "signed": {')],
  ["duplicate signatures", (text) => text.replace('"signatures": [', '"signatures": [], "signatures": [')],
  ["a duplicate that is escaped", (text) => insideSigned(text, '"vers\\u0069on": 1')],
  ["__proto__ in the signed part", (text) => insideSigned(text, '"__proto__": {"version": 9}')],
  ["__proto__ beside it", (text) => text.replace("{", '{"__proto__": {"signed": {}},')],
  ["__proto__ escaped", (text) => insideSigned(text, '"__pr\\u006fto__": 1')],
  ["a control character in a string", (text) => insideSigned(text, '"x": "a\u0000b"')],
  ["a line break in a string", (text) => insideSigned(text, '"x": "a\nb"')],
  ["half a surrogate pair", (text) => insideSigned(text, '"x": "\\ud800"')],
  ["a byte order mark", (text) => `\ufeff${text}`],
  ["bytes that are no UTF-8", (text) => Buffer.concat([Buffer.from(text), Buffer.from([0x20, 0xff])])],
  ["UTF-16", (text) => Buffer.from(text, "utf16le")],
  ["text behind its end", (text) => `${text}{}`],
  ["a trailing comma", (text) => text.replace(/\}\s*$/, ",}")],
  ["a comment", (text) => `/* */${text}`],
  ["NaN", (text) => insideSigned(text, '"x": NaN')],
  ["truncated to one byte less", (text) => text.slice(0, -1)],
  ["truncated to half", (text) => text.slice(0, text.length / 2)],
  ["a list in the place of an object", (text) => `[${text}]`],
  ["null", () => "null"],
  ["another type", (text) => text.replace(/"_type": "\w+"/, '"_type": "mirrors"')],
  ["another major version of TUF", (text) => text.replace('"1.0.34"', '"2.0.0"')],
  ["an expiry that is no date", (text) => text.replace(/"expires": "\d+/, '"expires": "99999')],
  ["an expiry without a zone", (text) => text.replace(/(\d)Z"/, '$1"')],
  ["more signatures than are looked at", manySignatures],
];

for (const role of ["root", "timestamp", "targets"]) {
  describe(`a ${role} that is malformed`, () => {
    const suite = endOfSuite();
    let lab: Lab;
    before(async () => {
      lab = await startLab(suite, { pinned: false });
    });
    const moved = order.slice(0, Math.max(0, order.indexOf(role)));

    // One reader for all roles: it is tried with all of them in one, and with some in the others.
    for (const [name, change] of sampled(malformed, { oneIn: role === "timestamp" ? 2 : 8 })) {
      it(`by ${name}`, async () => {
        await withText(lab, role, change);
        await withstands(lab, { code: "update_metadata_malformed", moved });
      });
    }
  });
}

describe("names and texts that an attacker with a rules key signs", () => {
  const base = "stable/rules/base-9.0.0.tar.gz";

  /** A device whose server has a release under this path, or of this form, with what a refresh gives. */
  async function signing(test: Ending, path: string, custom: Record<string, unknown> = {}) {
    const lab = await startLab(test);
    const evil = lab.repository.fork();
    const honest = { steward: 1, kind: "rules", name: "base", version: "9.0.0", channel: "stable" };
    const own = { ...honest, product: "demo", arch: "any", ...custom };
    evil.addTarget("rules", path, Buffer.from("evil"), own);
    evil.publish("rules");
    lab.server.files = evil.files;
    return { lab, refreshed: await lab.refresh() };
  }

  /** The device finds such a target and refuses it, or does not even find it. */
  const names: [string, string][] = [
    ["path traversal", "stable/rules/../../../../etc/cron.d/evil"],
    ["path traversal in the last part", "stable/rules/.."],
    ["an absolute path", "/etc/cron.d/evil"],
    ["an empty part", "stable/rules/"],
    ["a dot", "stable/rules/."],
    ["a backslash", "stable/rules/..\\..\\evil.tar.gz"],
    ["a quoted slash", "stable/rules/..%2f..%2fevil"],
    ["a NUL", "stable/rules/evil\u0000.tar.gz"],
    ["a line break", "stable/rules/evil\n.tar.gz"],
    ["an escape sequence", "stable/rules/\u001b[2J.tar.gz"],
    ["a text that runs backwards", "stable/rules/\u202egz.rat.tar.gz"],
    ["letters that look like others", "stable/rules/b\u0430se-9.0.0.tar.gz"],
    ["a name longer than any file's", `stable/rules/${"a".repeat(300)}.tar.gz`],
    ["a query", "stable/rules/base.tar.gz?x=1"],
    ["a hidden file", "stable/rules/.evil-9.0.0.tar.gz"],
    ["constructor", "stable/rules/../constructor"],
  ];
  for (const [name, path] of names)
    it(`${name} as the name of a target is not offered`, async (test) => {
      const { lab, refreshed } = await signing(test, path);
      const listed = await refreshed.list("stable", "rules");
      const offered = listed.filter((target) => "id" in readRelease(target));
      const found = offered.map((target) => target.path);
      assert.deepEqual(found, ["stable/rules/base-1.0.0.tar.gz"]);
      await recovers(lab);
    });

  it("__proto__ as the name of a target makes the file malformed", (test) =>
    attacked(test, refusedAt("targets", "update_metadata_malformed"), (evil) => {
      evil.addTarget("rules", "__proto__", Buffer.from("evil"));
      evil.publish("rules");
    }));

  for (const name of ["constructor", "toString", "hasOwnProperty", "__defineGetter__"]) {
    it(`${name} is not found as a target unless it is signed`, async (test) => {
      const lab = await startLab(test);
      assert.equal(await (await lab.refresh()).find(name), null);
    });
  }

  const texts: [string, Record<string, unknown>][] = [
    ["control characters in its notes", { notes: "all is well\u001b]0;owned\u0007" }],
    ["text that runs backwards in its notes", { notes: "\u202eevil" }],
    ["a line break in why it was withdrawn", { withdrawn: "a\nb" }],
    ["a name that is a path", { name: "../../etc/passwd" }],
    ["a name with letters of another script", { name: "b\u0430se" }],
    ["a version that is no version", { version: "9.0.0; rm -rf /" }],
    ["a version of a thousand digits", { version: `${"9".repeat(1_000)}.0.0` }],
    ["a channel other than that of its path", { channel: "beta" }],
    ["a kind other than that of its path", { kind: "binary" }],
    ["a kind of no kind", { kind: "firmware" }],
    ["an arch of no device", { arch: "../x64" }],
    ["a floor above itself", { floor: "10.0.0" }],
    ["waves that never end", { waves: { start: "2026-11-20T12:00:00Z", steps: [] } }],
  ];
  for (const [name, custom] of texts)
    it(`a release with ${name} is not offered`, async (test) => {
      const { refreshed } = await signing(test, base, custom);
      const found = await refreshed.find(base);
      assert.ok(found, "it is signed");
      assert.ok(!("id" in readRelease(found)), "it was taken for a release");
    });
});

describe("names of delegated roles that an attacker chooses", () => {
  const names = [
    "../../root",
    "root",
    "timestamp",
    "root/rotation",
    "",
    "a".repeat(300),
    "..",
    "1.root",
    "ü",
    "/x",
    "a\u0000b",
  ];
  for (const name of names) {
    it(`such as ${JSON.stringify(name.slice(0, 20))} write no file of another`, async (test) => {
      const lab = await startLab(test);
      const evil = lab.repository.fork();
      const { key, signed } = delegateFrom(evil, "rules", [{ name, paths: ["*/rules/*"] }]);
      evil.keys[name === "root" || name === "timestamp" ? "thief" : name] ??= [key];
      evil.publish("rules");
      const own = { ...structuredClone(signed), version: 1, targets: {} };
      delete own.delegations;
      const bytes = Buffer.from(
        JSON.stringify({ signatures: [{ keyid: key.id, sig: key.sign(canonical(own)) }], signed: own }),
      );
      evil.files.set(`metadata/1.${name}.json`, bytes);
      evil.snapshot.meta[`${name}.json`] = { version: 1 };
      evil.publishSnapshot();
      lab.server.files = evil.files;
      const before = await lab.trusted();
      await lab
        .refresh()
        .then((refreshed) => refreshed.find("stable/rules/base-9.9.9.tar.gz"))
        .catch((error: unknown) => assert.match(String(error), /Error: /));
      const after = await lab.trusted();
      assert.equal(after["root.json"], before["root.json"]);
      assert.equal(after["targets.json"], before["targets.json"]);
      const strange = Object.keys(after).filter((file) => !/^[A-Za-z0-9%_-]+\.json$/.test(file));
      assert.deepEqual(strange, []);
      // The role's name is not taken for a change of keys: nothing goes back.
      lab.server.files = lab.repository.files;
      await refused("update_rollback_refused", lab.refresh());
    });
  }
});

/** 65 signatures by unknown keys beside the one that counts. */
function manySignatures(text: string): string {
  const more = Array.from(
    { length: 65 },
    (_, at) => `{"keyid": "${`${at}`.padStart(64, "0")}", "sig": "${"00".repeat(64)}"}`,
  );
  return text.replace('"signatures": [', `"signatures": [${more.join(",")},`);
}

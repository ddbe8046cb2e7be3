import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { describe, it, type TestContext } from "node:test";
import { openBundle } from "../../../src/cli/doctor/bundle.ts";
import type { DoctorContext } from "../../../src/cli/doctor/doctor-context.ts";
import { examine } from "../../../src/cli/doctor/examine.ts";
import { journalWords } from "../../../src/cli/doctor/look-at-log.ts";
import { createRedaction } from "../../../src/cli/doctor/redaction.ts";
import { deviceOf, livedInState } from "./examined.ts";

const journal = [
  "sign_in.refused: ana, by anonymous from 203.0.113.9 (operation login)",
  "sign_in.refused: by anonymous from 203.0.113.9 (username mallory)",
  "user.created: ana, by root-admin from 2001:db8::17 (role readonly)",
  "user.deleted: former-fred, by former-admin from 203.0.113.9 (role readonly)",
  "sign_in.succeeded: ana, by ana from local (method password, session ses_dc1946284a96c66f42fccfa8d648580d)",
  "POST /api/auth/login (status 200)",
  "strange line with $argon2id$v=19$m=19456,t=2,p=1$c3Rld2FyZCBz$wDIEhUtpdc3ek5bKSLQ08o1zGp in it",
  "listening (mode serving, addresses 127.0.0.1:8470, version 0.1.0)",
].join("\n");

const journalLine = ["journalctl", ...journalWords, "-o", "short-iso", "-n", "500"].join(" ");

async function written(context: DoctorContext, path: string) {
  const stdout = new PassThrough({ highWaterMark: 1e8 });
  const bundle = await openBundle(context, path, stdout);
  const findings = await examine(context, bundle.gather);
  const report = { version: "1.2.3", device_time: "2026-11-22T10:00Z", is_root: true, findings, next: null };
  const remark = await bundle.write(report);
  return { remark, stdout: Buffer.concat(await stdout.end().toArray()) };
}

/** Unpacks it with tar(1). */
function unpacked(test: TestContext, archive: string): Record<string, string> {
  const into = join(deviceOf(test, {}).root, "unpacked");
  mkdirSync(into);
  execFileSync("tar", ["-xzf", archive, "-C", into]);
  const directory = join(into, "steward-doctor");
  return Object.fromEntries(
    readdirSync(directory).map((name) => [name, readFileSync(join(directory, name), "utf8")]),
  );
}

/** A bundle in a file, and what is in it. */
async function bundleOf(test: TestContext, context: DoctorContext) {
  const path = join(context.root, "doctor.tar.gz");
  const { remark } = await written(context, path);
  return { path, remark, files: unpacked(test, path) };
}

describe("steward doctor --bundle", () => {
  const lived = livedInState();
  const device = (test: TestContext) =>
    deviceOf(test, { state: lived.original, said: { [journalLine]: journal, "df -hT": "Filesystem\n" } });

  it("is an archive for tar(1) that only its owner can read, with what its README names", async (test) => {
    const { path, remark, files } = await bundleOf(test, device(test));
    assert.equal(statSync(path).mode & 0o777, 0o600);
    const named = [...(files.README ?? "").matchAll(/\b[a-z]+\.(?:txt|json)\b/g)].map(([name]) => name);
    assert.deepEqual(Object.keys(files).sort(), [...new Set(["README", ...named])].sort());
    assert.match(remark, new RegExp(`^${Object.keys(files).length} files`));
    assert.match(files["settings.json"] ?? "", /pump 7/);
    assert.match(files["system.txt"] ?? "", /^PRETTY_NAME=/m);
    assert.match(files["journal.txt"] ?? "", /listening \(mode serving, addresses 127\.0\.0\.1:8470/);
  });

  it("holds no secret of the state, and no name of a user", async (test) => {
    const text = Object.values((await bundleOf(test, device(test))).files).join("\n");
    const all = "root-admin ana mallory former-fred former-admin 203.0.113.9 2001:db8::17".split(" ");
    for (const name of all) assert.ok(!new RegExp(`\\b${name}\\b`).test(text), name);
    assert.match(text, /user\.created: user-\d, by user-\d from address-\d/);
    assert.match(text, /POST \/api\/auth\/login \(status 200\)/);
    assert.match(text, /^NAME=/m, "os-release is there");
    assert.match(text, /"contact": "\(left out\)"/);
    // Whatever the documents hold that is as long as a key, a hash or an id.
    const state = ["users.json", "sessions.json", "tokens.json"].map((name) =>
      readFileSync(join(lived.original, name), "utf8"),
    );
    const long = [...state.join("\n").matchAll(/"([^"\s]{20,})"/g)]
      .map(([, word = ""]) => word)
      .filter((word) => !/^\d{4}-/.test(word));
    assert.ok(long.length > 8, `${long.length} were looked for`);
    for (const word of long) assert.ok(!text.includes(word), word);
    assert.doesNotMatch(text, /argon2id\$v/);
  });

  it("does not name the host as hostname(5) has it, which the agent's unit sees late", async (test) => {
    const context = deviceOf(test, {
      state: lived.original,
      said: { [journalLine]: "steward-helper[74]: user 995, process 53: pump-8 is its name\n" },
      files: { "/etc/hostname": "# set by the agent\npump-8\n" },
    });
    const { files } = await bundleOf(test, context);
    assert.match(files["journal.txt"] ?? "", /process 53: this-device is its name/);
  });

  it("goes to standard output, and then writes no file", async (test) => {
    const context = device(test);
    const before = readdirSync(context.root).sort();
    const { stdout, remark } = await written(context, "-");
    assert.deepEqual(readdirSync(context.root).sort(), before);
    const path = join(context.root, "caught.tar.gz");
    writeFileSync(path, stdout);
    assert.match(unpacked(test, path)["report.txt"] ?? "", /Nothing to do\.\n$/);
    assert.match(remark, /standard output/);
  });

  it("replaces no file that is there", async (test) => {
    const context = device(test);
    const path = join(context.root, "precious");
    writeFileSync(path, "mine");
    await assert.rejects(written(context, path), /is not overwritten/);
    assert.equal(readFileSync(path, "utf8"), "mine");
  });
});

describe("the redaction", () => {
  const known = { users: ["ana", "anabel"], hostNames: ["edge-7", ""] };
  const unknown = { users: [], hostNames: [] };
  for (const [facts, text, redacted] of [
    // A name has the same number everywhere, and other words stay.
    [known, "ana, anabel, ana on edge-7: banana", "user-2, user-1, user-2 on this-device: banana"],
    [known, "at 2026-11-22T14:03:00.000Z, steward 0.1.0, 127.0.0.1", null],
    [known, "in /var/lib/steward-releases/binary/x", null],
    // The host names of a change, also the one before.
    [
      unknown,
      "host.changed: by agent (host name pump-8, host name before vm, time zone Etc/UTC)",
      "host.changed: by agent (host name this-device, host name before this-device, time zone Etc/UTC)",
    ],
    [unknown, '{"hostname": "pump-8"}', '{"hostname": "this-device"}'],
    [unknown, "user 995, : host-name pump-8", "user 995, : host-name this-device"],
    [unknown, "Its host name, which is long.", null],
  ] as const)
    it(`makes ${JSON.stringify(redacted ?? text)} of ${text}`, () =>
      assert.equal(createRedaction(facts)(text), redacted ?? text));

  it("hides keys, tokens and ids", () => {
    const redact = createRedaction({ users: [], hostNames: [""] });
    const key = "6_7JzKeXra3Xj4hNKQakGd78YV-pgRqgqq7QItMF8eyHohg";
    for (const secret of [
      key,
      "0123456789abcdef01234567",
      "usr_0f0e0d0c0b0a0908",
      "ses_dc1946284a96c66f42fccfa8d648580d",
      "kedvv-srne8-yybt3-vqprz",
      "C5NW-12J5-HQBX-A8XR",
      "ZKNGUWM65IXZFL7F7SWWQ42WBSXFKPTY",
      "$6$salt$hash",
      "eyJhbGciOi.eyJzdWIi.c2ln",
    ])
      assert.ok(!redact(`it is ${secret}, says one`).includes(secret), secret);
    const address = redact("http://fred:hunter2@proxy.example.net:3128");
    assert.equal(address, "http://(hidden)@proxy.example.net:3128");
    assert.equal(redact("write to fred.smith@example.net"), "write to (hidden)");
  });
});

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { describe, it } from "node:test";
import { type Manifest, manifestPath } from "../../../src/device/backup/manifest.ts";
import { openBackup } from "../../../src/device/backup/read-backup.ts";
import { type ArchivedFile, archiveOf } from "../../../src/store/archives/write-tar.ts";

const at = new Date("2026-11-28T01:30:00Z");
const contents: Readonly<Record<string, string>> = {
  "state/users.json": "{}\n",
  "etc/steward.json": '{"x":1}\n',
};

function listed(files: Readonly<Record<string, string>>): Manifest["files"] {
  return Object.entries(files).map(([path, text]) => ({
    path,
    bytes: Buffer.byteLength(text),
    sha256: createHash("sha256").update(text).digest("hex"),
  }));
}

const sound: Manifest = {
  format: "steward-backup",
  version: 1,
  made_at: at.toISOString(),
  steward: "1.2.3",
  product: "edge",
  device: { id: "0".repeat(32), name: "", host_name: "box", time_zone: "UTC" },
  releases: [{ kind: "rules", version: "3" }],
  files: listed(contents),
  left_out: [],
};

/** Reads the archive of a manifest and of files; the contents by path. */
async function readBack(manifest: object, files = contents): Promise<Record<string, string>> {
  const all = { [manifestPath]: JSON.stringify(manifest), ...files };
  const entries = Object.entries(all).map(([path, text]): ArchivedFile => {
    const content = Buffer.from(text);
    return { path, bytes: content.length, content: [content] };
  });
  const opened = await openBackup(() => archiveOf(entries, at));
  const found: Record<string, string> = {};
  for await (const { path, content } of opened.files) {
    if (path === skipped) continue;
    found[path] = "";
    for await (const piece of content) found[path] += Buffer.from(piece).toString();
  }
  return found;
}

/** A file that the reader in this test does not read. */
const skipped = "state/tls/skipped";

describe("a backup that is read", () => {
  it("gives files under each name that an agent backs up, and a document of a newer release", async () => {
    const names = ["users.json", "receiver-secrets.json", "newer-2.json", ".identity.json", ".register.json"];
    const more = ["seal.keys", "history.bin", "events/audit-0000000000000001.jsonl", "tls/key.pem"];
    const files = Object.fromEntries([...names, ...more].map((name) => [`state/${name}`, name]));
    assert.deepEqual(await readBack({ ...sound, files: listed(files) }, files), files);
  });

  it("gives what its manifest lists, and members that a newer release of this form has added are no fault", async () => {
    assert.deepEqual(await readBack({ ...sound, added: true }), contents);
  });

  const faults: readonly (readonly [string, object, RegExp])[] = [
    ["another format", { ...sound, format: "zip" }, /not one of Steward's/],
    ["a newer form", { ...sound, version: 2, steward: "9.0.0" }, /newer release .*\(9\.0\.0\), in form 2/],
    ["a form that is no number", { ...sound, version: "1" }, /damaged list.*\/version/],
    ["a missing member", { ...sound, device: undefined }, /damaged list/],
    ["no hash", { ...sound, files: [{ ...sound.files[0], sha256: "0" }] }, /damaged list.*sha256/],
    [
      "a file that it does not hold",
      { ...sound, files: [...sound.files, ...listed({ "state/x.json": "" })] },
      /lacks "state\/x\.json"/,
    ],
    ["one less", { ...sound, files: sound.files.slice(1) }, /has "state\/users\.json", which its list does/],
    ["a file twice", { ...sound, files: [...sound.files, ...sound.files] }, /which no backup has/],
    ["one outside", { ...sound, files: listed({ "state/../x": "" }) }, /"state\/\.\.\/x", which no backup/],
    ["a path of neither part", { ...sound, files: listed({ "usr/bin/x": "" }) }, /which no backup has/],
  ];
  for (const [name, manifest, expected] of faults)
    it(`is refused for a manifest with ${name}`, async () => {
      await assert.rejects(readBack(manifest), { code: "backup_unusable", message: expected });
    });

  it("is refused for a list with a name that a state has and no backup", async () => {
    for (const name of [
      ...[".restore/x", ".restore.json/x", ".restore.json", ".lock/x", ".lock", "lost+found/x", ".wipe"],
      ...[".transaction.json", ".applied.json", ".seal.key", ".reserve", "users.good.json", "users.json/x"],
      ...["updates/staged/x", "events"],
    ]) {
      const read = readBack({ ...sound, files: listed({ [`state/${name}`]: "" }) });
      await assert.rejects(read, { code: "backup_unusable", message: /which no backup has/ }, name);
    }
  });

  it("is refused where a content is another one, also one that nobody reads", async () => {
    const refusal = (message: RegExp) => ({ code: "backup_unusable", message });
    for (const text of ['{"x":2}\n', '{"x":10}\n'])
      await assert.rejects(
        readBack(sound, { ...contents, "etc/steward.json": text }),
        refusal(/other than its list/),
      );
    const unread = { ...sound, files: listed({ [skipped]: "a" }) };
    assert.deepEqual(await readBack(unread, { [skipped]: "a" }), {});
    await assert.rejects(readBack(unread, { [skipped]: "b" }), refusal(/"state\/tls\/skipped" other than/));
  });

  it("is refused where its first file is no manifest", async () => {
    for (const [path, text] of [
      ["state/users.json", ""],
      [manifestPath, "{"],
    ] as const) {
      const entry = { path, bytes: text.length, content: [Buffer.from(text)] };
      await assert.rejects(
        openBackup(() => archiveOf([entry], at)),
        { message: /not one of Steward's/ },
      );
    }
  });
});

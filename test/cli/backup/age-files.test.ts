import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { generateHybridIdentity, identityToRecipient } from "age-encryption";
import { runSteward, startAgentProcess } from "../../../lab/agents/running-agent.ts";
import { ofSuite } from "../../../lab/basics/ending.ts";
import { scratchDirectory } from "../../../lab/basics/scratch.ts";

/** Key files and backups as other age tools, editors and systems leave them, in the words of box.md. */
const scratch = scratchDirectory();
const at = (name: string): string => join(scratch, name);
const written = (name: string, content: string | Uint8Array): string => {
  writeFileSync(at(name), content);
  return at(name);
};
const age = (words: readonly string[], input: Uint8Array | string = ""): Buffer =>
  execFileSync("age", words, { input, maxBuffer: 1e8, stdio: ["pipe", "pipe", "ignore"] });
const newKey = (name: string): { file: string; text: string; recipient: string } => {
  execFileSync("age-keygen", ["-o", at(name)], { stdio: "ignore" });
  const recipient = execFileSync("age-keygen", ["-y", at(name)])
    .toString()
    .trim();
  return { file: at(name), text: readFileSync(at(name), "utf8"), recipient };
};
const utf16 = (text: string): Buffer => Buffer.from(`\uFEFF${text}`, "utf16le");

const [mine, others] = [newKey("mine"), newKey("others")];
execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", at("ssh")]);
const sshRecipient = readFileSync(at("ssh.pub"), "utf8").trim();
const secret = mine.text.trim().split("\n").at(-1) ?? "";
const yubikey = "age1yubikey1q0n0exqdrgyf4wgr6jyvwjljktlg27ckgyf2dvwuadkm8fjhhqgz6y8yzqh";
const passphrase = "twelve or more chars";
const accents = (form: "NFC" | "NFD") => "pass phrase with é accents".normalize(form);

const agent = ofSuite(() => startAgentProcess());
const steward = (words: readonly string[], input = "") =>
  runSteward([...words, "--socket", agent.socket], { input });

/** The backup of the agent to `mine`, and its tar; made once. */
let made: Promise<{ sealed: Buffer; tar: Buffer }> | undefined;
function backup(): Promise<{ sealed: Buffer; tar: Buffer }> {
  made ??= (async () => {
    const path = at("b.age");
    const { code, stderr } = await steward(["backup", path, "--recipient", mine.recipient]);
    assert.equal(code, 0, stderr);
    const sealed = readFileSync(path);
    return { sealed, tar: age(["-d", "-i", mine.file], sealed) };
  })();
  return made;
}

/** A directory with what a tar holds, and the bytes that `tar` packs it into. */
function packed(name: string, tar: Uint8Array, words: readonly string[]): Buffer {
  mkdirSync(at(name));
  execFileSync("tar", ["-x"], { input: tar, cwd: at(name) });
  return execFileSync("sh", ["-c", `tar -c ${words.join(" ")}`], { cwd: at(name), maxBuffer: 1e8 });
}

const toMine = (plain: Uint8Array, ...words: string[]) => age(["-r", mine.recipient, ...words], plain);

interface Case {
  readonly says: RegExp;
  readonly code?: number;
  readonly file?: (made: { sealed: Buffer; tar: Buffer }) => Uint8Array | Promise<Uint8Array>;
  readonly keys?: readonly (string | Uint8Array)[];
}

const restored = /^Restores 0 users .*/m;
const refused = (says: RegExp, rest: Omit<Case, "says" | "code"> = {}): Case => ({ says, code: 6, ...rest });

const restores: Readonly<Record<string, Case>> = {
  "the key file": { says: restored },
  "a key file of Windows": { says: restored, keys: [mine.text.replaceAll("\n", "\r\n")] },
  "a key file in UTF-16": { says: restored, keys: [utf16(mine.text)] },
  "a key file in UTF-16, big-endian": { says: restored, keys: [utf16(mine.text).swap16()] },
  "a key file with a byte order mark": { says: restored, keys: [`\uFEFF${secret}`] },
  "the secret line only": { says: restored, keys: [secret] },
  "a file of two keys, of which the second fits": { says: restored, keys: [others.text + mine.text] },
  "two files, of which the second fits": { says: restored, keys: [others.text, mine.text] },
  "another key": refused(/is encrypted to other recipients\. Nothing was changed/, { keys: [others.text] }),
  "a public key": refused(/has only a public key\. The private one begins with AGE-SECRET-KEY-1/, {
    keys: [mine.recipient],
  }),
  "a key of SSH": refused(/key of SSH or of a plugin, which only age can use.*age-keygen -o key\.txt/, {
    keys: [readFileSync(at("ssh"))],
  }),
  "a key file that is encrypted": refused(/is itself encrypted\. Open it first: `age -d/, {
    keys: [age(["-a", "-r", mine.recipient], mine.text)],
  }),
  "another file in place of the key": refused(/has no private key of age/, { keys: ["hello\n"] }),
  "an armoured file": { says: restored, file: ({ tar }) => toMine(tar, "-a") },
  "an armoured file of Windows": {
    says: restored,
    file: ({ tar }) => Buffer.from(`\r\n${String(toMine(tar, "-a")).replaceAll("\n", "\r\n")}`),
  },
  "an armoured file in UTF-16": { says: restored, file: ({ tar }) => utf16(String(toMine(tar, "-a"))) },
  "an armoured file that is cut short": refused(/damaged or cut short/, {
    file: ({ tar }) => toMine(tar, "-a").subarray(0, -3_000),
  }),
  "an armoured file in one endless line": refused(/damaged or cut short/, {
    file: () => Buffer.from(`-----BEGIN AGE ENCRYPTED FILE-----\n${"A".repeat(1_000_000)}`),
  }),
  "two recipients": { says: restored, file: ({ tar }) => toMine(tar, "-r", others.recipient) },
  "a recipient of SSH besides": { says: restored, file: ({ tar }) => toMine(tar, "-r", sshRecipient) },
  "a recipient of SSH only": refused(/keys that only age opens \(ssh-ed25519\): `age -d -i KEY FILE/, {
    file: ({ tar }) => age(["-r", sshRecipient], tar),
  }),
  "a tar that is not encrypted": refused(/it is a tar; encrypt it with `age -r/, { file: ({ tar }) => tar }),
  "a gzipped tar in it": refused(/has a compressed archive in it.*gunzip/, {
    file: ({ tar }) => toMine(execFileSync("gzip", { input: tar, maxBuffer: 1e8 })),
  }),
  "a tar packed again from `.`": {
    says: restored,
    file: ({ tar }) => toMine(packed("dot", tar, ["--sort=name", "./state", "./backup.json"])),
  },
  "a tar packed by `tar -c .`": { says: restored, file: ({ tar }) => toMine(packed("all", tar, ["."])) },
  "a tar packed by `tar -c *`": { says: restored, file: ({ tar }) => toMine(packed("star", tar, ["*"])) },
  "a tar of pax": {
    says: restored,
    file: ({ tar }) => toMine(packed("pax", tar, ["--format=pax", "state", "backup.json"])),
  },
  "a tar of another folder": refused(/is not one of Steward's: it has no backup\.json at its top/, {
    file: ({ tar }) => {
      mkdirSync(at("outer"));
      return toMine(packed("outer/inner", tar, ["-C", "..", "inner"]));
    },
  }),
  "a tar with a file less": refused(/lacks "state\//, {
    file: ({ tar }) => toMine(packed("less", tar, ["backup.json"])),
  }),
  "a cut download": refused(/damaged or cut short/, { file: ({ sealed }) => sealed.subarray(0, -900) }),
  "a download that is cut in its header": refused(/damaged or cut short/, {
    file: ({ sealed }) => sealed.subarray(0, 100),
  }),
  "an empty download": refused(/is not a file encrypted by age/, { file: () => Buffer.alloc(0) }),
};

const own: Case["keys"] = [mine.text];

describe("a backup and its key, as other tools leave them", () => {
  for (const [index, [name, { says, code = 0, file, keys = own }]] of Object.entries(restores).entries())
    it(`are read or refused with the true reason: ${name}`, async () => {
      const all = await backup();
      const path = written(`${index} (1).age`, (await file?.(all)) ?? all.sealed);
      const words = keys.flatMap((key, at) => ["--identity", written(`${index}-${at}.txt`, key)]);
      const ended = await steward(["restore", path, "--check", "--as-replacement", ...words]);
      const output = ended.stdout + ended.stderr;
      assert.deepEqual([ended.code, says.test(output)], [code, true], output);
      assert.ok(!output.includes(secret), "it repeats the secret");
    });

  it("are refused with a line that brings a file to restore, where only age can use the key", async () => {
    const { tar } = await backup();
    const path = written("to ssh.age", age(["-r", sshRecipient], tar));
    // A disk called BACKUP: the name of a file is no part of the advice to fill in.
    mkdirSync(at("BACKUP"));
    const key = written("BACKUP/ssh", readFileSync(at("ssh")));
    chmodSync(key, 0o600);
    const { stderr } = await steward(["restore", path, "--check", "--identity", key]);
    const line = /`(age-keygen .*)`/.exec(stderr)?.[1] ?? assert.fail(stderr);
    execFileSync("sh", ["-ec", line], { cwd: scratch, stdio: "ignore" });
    const words = ["restore", at("NEW.age"), "--check", "--identity", at("key.txt")];
    const ended = await steward(words);
    assert.match(ended.stdout, restored, ended.stderr);
  });

  it("are read with a post-quantum key", async () => {
    const identity = await generateHybridIdentity();
    const recipients = written("pq.recipients", `${await identityToRecipient(identity)}\n`);
    const made = await steward(["backup", at("pq.age"), "--recipients-file", recipients]);
    assert.equal(made.code, 0, made.stderr);
    const key = written("pq.txt", `${others.text}${identity}\n`);
    const { stdout, stderr } = await steward(["restore", at("pq.age"), "--check", "--identity", key]);
    assert.match(stdout, restored, stderr);
  });

  it("are read with the same passphrase from other systems", async () => {
    for (const [given, later] of [
      [passphrase, [`${passphrase}\r\n`, passphrase, `\uFEFF${passphrase}\r\n`]],
      [accents("NFD"), [`${accents("NFC")}\n`]],
      [accents("NFC"), [`${accents("NFD")}\n`]],
    ] as const) {
      const path = at(`${given.length} ${given.normalize() === given}.age`);
      const made = await steward(["backup", path, "--passphrase-stdin"], `${given}\n`);
      assert.equal(made.code, 0, made.stderr);
      for (const input of later) {
        const ended = await steward(["restore", path, "--passphrase-stdin", "--check"], input);
        assert.match(ended.stdout, restored, JSON.stringify(input) + ended.stderr);
      }
    }
  });

  it("are refused where the passphrase is given for a key's backup", async () => {
    await backup();
    const words = ["restore", at("b.age"), "--passphrase-stdin", "--check"];
    const { code, stderr } = await steward(words, `${passphrase}\n`);
    assert.deepEqual([code, /opens with the identity of one of them/.test(stderr)], [6, true], stderr);
  });

  const recipients: readonly (readonly [string, string | Uint8Array, RegExp | null])[] = [
    ["of Windows", `# keys\r\n${mine.recipient}\r\n`, null],
    ["with a byte order mark", `\uFEFF${mine.recipient}\n`, null],
    ["in UTF-16", utf16(`${mine.recipient}\n`), null],
    ["of a QR code, in capitals", mine.recipient.toUpperCase(), null],
    ["with a remark after a key", `${mine.recipient} # anna\n`, null],
    ["with a key of SSH", sshRecipient, /is an SSH key, but a backup needs an age key/],
    ["with a key of a plugin", yubikey, /is a plugin's key/],
    ["with a typing error", mine.recipient.replace(/.$/, "b"), /not one of age's/],
    ["with the private key", secret, /private key/],
    ["that is the whole key file", mine.text, /private key/],
    ["without a key", "# none\n", /names no recipient/],
  ];
  for (const [index, [name, content, says]] of recipients.entries())
    it(`a recipients file ${name} ${says === null ? "is read" : "is refused with the true reason"}`, async () => {
      const file = written(`recipients-${index}`, content);
      const path = at(`to-${index}.age`);
      const { code, stderr } = await steward(["backup", path, "--recipients-file", file]);
      assert.deepEqual([code, stderr === "" || says?.test(stderr)], [says === null ? 0 : 6, true], stderr);
      assert.ok(!stderr.includes(secret), "it repeats the secret");
      if (says === null) assert.ok(age(["-d", "-i", mine.file], readFileSync(path)).length > 0);
    });
});

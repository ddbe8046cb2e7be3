import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { scratchDirectory } from "../../../lab/basics/scratch.ts";
import { createAge, type OpeningKey, type SealingKey } from "../../../src/device/backup/age.ts";
import { createStartFilter } from "../../../src/host/linux/filters.ts";
import type { Filter, StartFilter } from "../../../src/host/ports.ts";

const scratch = scratchDirectory();
const script = join(import.meta.dirname, "../../../dist/backup.js");
const started: Filter[] = [];
const start: StartFilter = (program, args) => {
  const filter = createStartFilter()(program, args);
  started.push(filter);
  return filter;
};
const age = createAge(process.execPath, script, start);
const passphrase = 'four "quoted" wörds \\ here';
const pieceBytes = 65_536;

async function* of(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 30_000) yield bytes.subarray(at, at + 30_000);
}

async function all(pieces: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const found: Uint8Array[] = [];
  for await (const piece of pieces) found.push(piece);
  return Buffer.concat(found);
}

const seal = (plain: Uint8Array, key: SealingKey): Promise<Buffer> => all(age.seal(of(plain), key));
const open = (sealed: Uint8Array, key: OpeningKey): Promise<Buffer> => all(age.open(of(sealed), key));

/** A new pair of keys, by Debian's age. */
function keyPair(name: string): { identity: string; recipient: string; file: string } {
  const file = join(scratch, name);
  execFileSync("age-keygen", ["-o", file], { stdio: "ignore" });
  const identity = readFileSync(file, "utf8").trim().split("\n").at(-1) ?? "";
  return { identity, recipient: execFileSync("age-keygen", ["-y", file]).toString().trim(), file };
}

/** Debian's age asks for a passphrase on a terminal only. */
function onTerminal(words: readonly string[], lines: readonly string[]): void {
  const line = words.map((word) => `'${word}'`).join(" ");
  const input = lines.map((one) => `${one}\n`).join("");
  execFileSync("script", ["-qec", line, "/dev/null"], { input, stdio: ["pipe", "ignore", "inherit"] });
}

const [mine, others] = [keyPair("mine"), keyPair("others")];
const plain = randomBytes(5 * pieceBytes + 123);
const place = (name: string, bytes: Uint8Array): string => {
  const path = join(scratch, name);
  writeFileSync(path, bytes);
  return path;
};

describe("the encryption of a backup", () => {
  for (const bytes of [1, pieceBytes, plain.length])
    it(`to a passphrase is opened by Debian's age, ${bytes} bytes of it`, async () => {
      const part = plain.subarray(0, bytes);
      const sealed = place("passphrase.age", await seal(part, { passphrase }));
      onTerminal(["age", "-d", "-o", join(scratch, "opened"), sealed], [passphrase]);
      assert.ok(readFileSync(join(scratch, "opened")).equals(part));
      assert.ok((await open(readFileSync(sealed), { passphrase })).equals(part));
    });

  it("to recipients is opened by Debian's age with the identity of each, and by no passphrase", async () => {
    const sealed = await seal(plain, { recipients: [mine.recipient, others.recipient] });
    for (const { file } of [mine, others])
      assert.ok(execFileSync("age", ["-d", "-i", file], { input: sealed }).equals(plain));
    assert.ok((await open(sealed, { identity: others.identity })).equals(plain));
    const empty = await seal(Buffer.alloc(0), { recipients: [mine.recipient] });
    assert.equal(execFileSync("age", ["-d", "-i", mine.file], { input: empty }).length, 0);
    assert.equal((await open(empty, { identity: mine.identity })).length, 0);
  });

  it("opens a file of Debian's age to a recipient, and refuses one whose passphrase would take the unit's memory", async () => {
    const sealed = execFileSync("age", ["-r", mine.recipient], { input: plain });
    assert.ok((await open(sealed, { identity: mine.identity })).equals(plain));
    const path = join(scratch, "costly.age");
    onTerminal(["age", "-p", "-o", path, place("plain", plain)], [passphrase, passphrase]);
    const costly = { code: "backup_unusable", message: /scrypt with 2\^18, more than 2\^17/ };
    await assert.rejects(open(readFileSync(path), { passphrase }), costly);
  });

  it("does not open with another key", async () => {
    const byPassphrase = await seal(plain, { passphrase });
    const byRecipient = await seal(plain, { recipients: [mine.recipient] });
    for (const [sealed, key, message] of [
      [byPassphrase, { passphrase: "another" }, /passphrase is another one/],
      [byPassphrase, { identity: mine.identity }, /opens with that/],
      [byRecipient, { identity: others.identity }, /to other recipients/],
      [byRecipient, { passphrase }, /identity of one of them/],
    ] as const)
      await assert.rejects(open(sealed, key), { code: "backup_key_wrong", message });
    const noKey = { code: "validation_failed" };
    await assert.rejects(open(byRecipient, { identity: "AGE-SECRET-KEY-1X" }), noKey);
    await assert.rejects(seal(plain, { recipients: [mine.recipient, "age1nonsense"] }), noKey);
  });

  it("does not open a file that is cut or altered anywhere, or is none", async () => {
    const sealed = await seal(plain, { recipients: [mine.recipient] });
    const key = { identity: mine.identity };
    const unusable = { code: "backup_unusable" };
    const { length } = sealed;
    const cuts = [0, 10, 150, length - 1, length - 200, length - plain.length + 2 * pieceBytes];
    for (const length of cuts)
      await assert.rejects(open(sealed.subarray(0, length), key), unusable, `${length}`);
    for (const at of [190, 230, 300, sealed.length - 5]) {
      const altered = Buffer.from(sealed);
      altered[at] = (altered[at] ?? 0) ^ 1;
      await assert.rejects(open(altered, key), unusable, `${at}`);
    }
    await assert.rejects(open(Buffer.concat([sealed, plain]), key), unusable);
    await assert.rejects(open(plain, key), { ...unusable, message: /is not a file encrypted by age/ });
  });

  it("shows no key among the arguments or in the environment of its process", async () => {
    const first = new Promise<string>((resolve) => {
      const source = async function* () {
        const children = readFileSync(`/proc/self/task/${process.pid}/children`, "utf8").trim().split(" ");
        const seen = children.flatMap((pid) =>
          ["cmdline", "environ"].map((name) => readFileSync(`/proc/${pid}/${name}`, "latin1")),
        );
        resolve(seen.join("\n"));
        yield Buffer.from("x");
      };
      void all(age.seal(source(), { passphrase: "hunter2hunter2" }));
    });
    const seen = await first;
    assert.match(seen, /backup\.js/);
    assert.doesNotMatch(seen, /hunter2/);
    assert.doesNotMatch(seen, /STEWARD|HOME=/);
    assert.equal((await started.at(-1)?.ended)?.status, 0);
  });

  it("takes no more of its source than its reader takes of it, ends with it, and passes on its failure", async () => {
    const failing = async function* () {
      yield Buffer.alloc(pieceBytes);
      throw new RangeError("the disk is gone");
    };
    await assert.rejects(all(age.seal(failing(), { passphrase })), /the disk is gone/);
    let taken = 0;
    let isEnded = false;
    const source = async function* () {
      try {
        for (;;) {
          taken += pieceBytes;
          yield Buffer.alloc(pieceBytes);
        }
      } finally {
        isEnded = true;
      }
    };
    let read = 0;
    for await (const piece of age.seal(source(), { recipients: [mine.recipient] })) {
      read += piece.length;
      assert.ok(taken - read < 4 * 1024 * 1024, `${taken - read} bytes are waiting`);
      if (read > 32 * 1024 * 1024) break;
    }
    assert.ok(isEnded);
    assert.notEqual((await started.at(-1)?.ended)?.status, 0);
  });

  const stanza = `-> X25519 ${"A".repeat(43)}\n${"A".repeat(43)}\n`;
  const costly = { code: "backup_unusable", message: /header has more than 64 KiB or 32 recipients/ };
  for (const [name, header] of [
    ["of 33 stanzas", `${stanza.repeat(33)}--- ${"A".repeat(43)}\n`],
    ["of 20,000 stanzas, each to be tried with each key", `${stanza.repeat(20_000)}--- ${"A".repeat(43)}\n`],
    ["of one line without an end", `-> X25519 ${"A".repeat(32 * 1024 * 1024)}`],
    ["of stanzas without an end, which would be kept in memory", stanza.repeat(300_000)],
  ] as const)
    it(`opens no file with a header ${name}, and leaves the rest of it`, async () => {
      let taken = 0;
      const source = async function* () {
        for await (const piece of of(Buffer.from(`age-encryption.org/v1\n${header}`))) {
          taken += piece.length;
          yield piece;
        }
      };
      await assert.rejects(all(age.open(source(), { identity: mine.identity })), costly);
      assert.ok(taken < 4 * 1024 * 1024, `${taken} bytes were taken`);
    });

  it("ends a process that finds no key in time, or gives no byte", { timeout: 20_000 }, async () => {
    const hanging = place("hanging.js", Buffer.from("setInterval(() => undefined, 1_000);"));
    const unready = createAge(process.execPath, hanging, start, 300);
    const late = (code: string) => ({ code, message: /not found in time/ });
    await assert.rejects(all(unready.open(of(plain), { passphrase })), late("backup_unusable"));
    assert.equal((await started.at(-1)?.ended)?.status, null);
    await assert.rejects(all(unready.seal(of(plain), { passphrase })), late("internal_error"));
  });

  it("fails where its process cannot be started, or is killed", async () => {
    const killed: StartFilter = (program, args) => {
      const filter = start(program, args);
      filter.stop();
      return filter;
    };
    for (const [failing, message] of [
      [createAge("/nowhere/node", script, start), /ENOENT/],
      [createAge(process.execPath, "/x.js", start), /x\.js/],
      [createAge(process.execPath, script, killed), /ended with a signal/],
    ] as const)
      await assert.rejects(all(failing.seal(of(plain), { passphrase })), { code: "internal_error", message });
  });
});

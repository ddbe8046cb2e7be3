import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import type { Input } from "../../contract/types.ts";
import { CommandError, UsageError } from "../../terminal/command-error.ts";
import { escapeText } from "../../terminal/escape.ts";
import { givenLines } from "../../terminal/given-text.ts";
import { withHiddenInput } from "../../terminal/prompt.ts";
import type { Command, Invocation } from "../client/command.ts";
import { formatBytes } from "../system/facts-view.ts";
import { askNewPassword, readFirstLine } from "../users/new-password.ts";
import { backupName, type Rotation, removeOlder } from "./rotation.ts";
import { writeBackup } from "./write-backup.ts";

type Key = Input<"makeBackup">["body"];

export const backup: Command = {
  path: ["backup"],
  summary:
    "Back up this device while it runs, encrypted with a passphrase or to public keys; `age -d` can open it too",
  examples: [
    {
      line: "steward backup /mnt/stick/edge-7.age",
      what: "asks for a passphrase, without which the backup cannot be opened",
    },
    {
      line: "steward backup --to /mnt/backups --keep 7 --recipient age1…",
      what: "for a backup a day: keeps seven, with no secret on the device",
    },
    { line: "steward backup - | ssh nas 'cat > edge-7.age'", what: "writes to no disk of this device" },
  ],
  positionals: [{ name: "FILE", isOptional: true }],
  options: [
    {
      name: "to",
      value: "DIR",
      summary:
        "name the file after device, time, device id and number: edge-7-2026-11-28T0130Z-3f9a12c04b7d-42.age",
    },
    {
      name: "keep",
      value: "COUNT",
      summary: "with --to: keep this many of this device's backups, and delete those with lower numbers",
    },
    { name: "force", summary: "replace FILE if it exists" },
    {
      name: "recipient",
      value: "KEY",
      summary: "encrypt to this public key (age1…) instead of a passphrase; can be repeated",
    },
    { name: "recipients-file", value: "FILE", summary: "a file of such keys, one on each line" },
    {
      name: "passphrase-stdin",
      excludes: "recipient",
      summary: "take the passphrase from the first line of standard input",
    },
  ],
  async run(invocation) {
    const target = targetOf(invocation);
    const key = await keyOf(invocation);
    if (target.file === "-") return print(invocation, key);
    const { client, context, output, options } = invocation;
    const path = target.directory === null ? target.file : await placeIn(target.directory, invocation);
    const bytes = await writeBackup(
      path,
      options.has("force"),
      () => client.call("makeBackup", { body: key }),
      context.interruption(),
    );
    const { keep } = target;
    const rotation: Rotation = keep === null ? { removed: [], left: [] } : await removeOlder(path, keep);
    const words = `${report(path, bytes, key)}${rotationWords(rotation)}`;
    await output.report({ path, bytes, ...rotation }, words);
    await confirmed(invocation);
  },
};

async function placeIn(directory: string, { client }: Invocation): Promise<string> {
  const [{ device_name: name }, { device_id: id = "" }] = await Promise.all([
    client.call("getStatus", {}),
    client.call("getVersion", {}),
  ]);
  return join(directory, await backupName(directory, { name, id }, new Date()));
}

function targetOf({ positionals: [file = ""], options }: Invocation) {
  const directory = options.text("to") ?? null;
  const given = options.text("keep");
  if ((file === "") === (directory === null))
    throw new UsageError("Name either a FILE or a directory with --to.");
  if (given !== undefined && directory === null) throw new UsageError("--keep goes with --to.");
  const keep = given === undefined ? null : Number(given);
  if (keep !== null && (!/^\d{1,4}$/.test(given ?? "") || keep < 1))
    throw new UsageError("--keep takes a number from 1 to 9999.");
  return {
    /** Empty with a directory; `-` is standard output. */
    file,
    directory,
    /** Backups that are kept in it; null: all. */
    keep,
  };
}

/** A passphrase is never an argument. Throws CommandError. */
async function keyOf({ options, context }: Invocation): Promise<Key> {
  const file = options.text("recipients-file");
  const given = [...options.texts("recipient"), ...(file === undefined ? [] : await recipientsIn(file))];
  const recipients = given.map(recipientOf);
  const { stdin } = context;
  if (recipients.length > 0) {
    if (options.has("passphrase-stdin")) throw new UsageError("Give recipients or a passphrase, not both.");
    return { recipients };
  }
  if (options.has("passphrase-stdin") && !stdin.isTTY) return { passphrase: await readFirstLine(stdin) };
  if (stdin.isTTY && !options.has("passphrase-stdin"))
    return { passphrase: await withHiddenInput(context, (ask) => askNewPassword(ask, question)) };
  throw new CommandError(
    2,
    "The backup needs a key: answer on a terminal, give the passphrase with --passphrase-stdin from a pipe, or name a --recipient (age-keygen makes one).",
  );
}

const question = "Passphrase, 12 characters or more; without it the backup cannot be opened: ";

/** As age's own -R takes it: a key a line, blank lines and comments. */
async function recipientsIn(file: string): Promise<string[]> {
  const keys = await givenLines(file);
  if (keys.length > 0) return keys;
  throw new CommandError(
    6,
    escapeText(`${file} names no recipient: write a line with age1… into it (age-keygen).`),
  );
}

/** Keys of another kind, and what to do about them; none is repeated, since it may be secret. */
const otherKinds: readonly (readonly [RegExp, string])[] = [
  [/^AGE-SECRET-KEY-/i, "is a private key: give the public one, which `age-keygen -y FILE` prints"],
  [/^(ssh|ecdsa|sk)-/, "is an SSH key, but a backup needs an age key: `age-keygen -o key.txt` makes one"],
  // Bech32 has a 1 only before its data (BIP 173): a second one ends the name of a plugin.
  [
    /^AGE-PLUGIN-|^age1(?!(pq|tag|tagpq)1)[a-z0-9]+1/,
    "is a plugin's key, but a backup needs an age key: `age-keygen -o key.txt` makes one",
  ],
];

/** The key as age has it; a QR code has capitals. Throws CommandError for a key of another kind. */
function recipientOf(key: string): string {
  const [, fault] = otherKinds.find(([form]) => form.test(key)) ?? [];
  if (fault !== undefined) throw new CommandError(6, `A recipient ${fault}. No backup was made.`);
  return /^AGE1[0-9A-Z]+$/.test(key) ? key.toLowerCase() : key;
}

/** Over HTTP the agent sees that the client has read all; root's command may have been killed. */
async function confirmed({ client, places }: Invocation): Promise<void> {
  if (places.url === undefined) await client.call("confirmBackup", {});
}

async function print(invocation: Invocation, key: Key): Promise<void> {
  const { client, context, output } = invocation;
  if (context.stdout.isTTY)
    throw new CommandError(2, "A backup cannot be shown on a terminal: pipe it, or name a FILE.");
  await pipeline(await client.call("makeBackup", { body: key }), context.stdout, { end: false });
  await confirmed(invocation);
  await output.remark("The backup is complete.");
}

function report(path: string, bytes: number, { recipients }: Key): string {
  const who =
    recipients === undefined
      ? "the passphrase"
      : recipients.length === 1
        ? "its recipient's key"
        : "a recipient's key";
  return `${escapeText(path)}: ${formatBytes(bytes)}, opens with ${who}.\n`;
}

function rotationWords({ removed, left }: Rotation): string {
  const line = (why: string): string => {
    const [first, ...others] = left.filter((file) => file.why === why);
    const what = others.length === 0 ? (first?.path ?? "") : `${others.length + 1} files`;
    return `${what}: kept; ${why}.`;
  };
  const lines = removed.map((path) => `${path}: deleted, since newer ones are kept.`);
  lines.push(...[...new Set(left.map(({ why }) => why))].map(line));
  return lines.map((text) => `${escapeText(text)}\n`).join("");
}

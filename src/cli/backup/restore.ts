import { once } from "node:events";
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import type { Upload } from "../../contract/types.ts";
import type { OpeningKey } from "../../device/backup/age.ts";
import type { RestorePlan } from "../../device/backup/restore.ts";
import { CommandError } from "../../terminal/command-error.ts";
import { requireConsent, shellLine } from "../../terminal/commands/consent.ts";
import { escapeText } from "../../terminal/escape.ts";
import { fileFailure } from "../../terminal/failure.ts";
import { givenLines } from "../../terminal/given-text.ts";
import { withHiddenInput } from "../../terminal/prompt.ts";
import type { Command, Invocation } from "../client/command.ts";
import { requireLocal } from "../client/places.ts";
import { notEmpty, readFirstLine } from "../users/new-password.ts";
import { bringHostFiles, hostFileLines, readHostFiles } from "./host-files.ts";

/** A backup becomes this device: all of it or nothing (docs/restore.md). */
export const restore: Command = {
  path: ["restore"],
  summary:
    "As root: restore a backup to this device, all of it or nothing; shows what would change, and asks first",
  examples: [
    { line: "steward restore box-a.age --check", what: "shows what would change, and changes nothing" },
    {
      line: "steward restore box-a.age --as-replacement",
      what: "as a replacement for the other device, which must not come back",
    },
    {
      line: "steward restore box-a.age --as-replacement --with-host-files",
      what: "also root's files in /etc/steward, whose changes are shown first",
    },
  ],
  positionals: [{ name: "FILE" }],
  options: [
    {
      name: "as-replacement",
      summary: "take the other device's place: keep its API tokens, certificate and record",
    },
    {
      name: "with-host-files",
      summary: "also restore root's files in /etc/steward, which decide what runs as root; shows each change",
    },
    { name: "check", summary: "show what would change, and change nothing" },
    {
      name: "passphrase-stdin",
      excludes: "identity",
      summary: "take the passphrase from the first line of standard input",
    },
    {
      name: "identity",
      value: "FILE",
      summary: "a file of private keys from age-keygen, all of which are tried; can be repeated",
    },
  ],
  worksOffline: true,
  async run(invocation) {
    const { positionals, options, places, client, output } = invocation;
    requireLocal(places, "restore");
    const [source = ""] = positionals;
    const upload = await uploadOf(source);
    const key = await keyOf(invocation, source);
    await client.call("receiveBackup", { body: upload });
    const request = { ...key, as_replacement: options.has("as-replacement") };
    const restored = (how: { check: true } | { with_host_files: boolean }) =>
      client.call("restoreBackup", { body: { ...request, ...how } });
    const plan = await restored({ check: true });
    const files = options.has("with-host-files") ? await readHostFiles(invocation, source, key) : null;
    const says = [
      ...sentencesOf(plan),
      ...(files === null ? notBrought(plan) : await hostFileLines(files, invocation)),
    ];
    if (options.has("check")) return output.values(plan, says);
    // Also with --yes: a log then has what came.
    for (const one of says) await output.remark(escapeText(one));
    await requireConsent(invocation, questionOf(plan, files?.length));
    const follow = () => restored({ with_host_files: files !== null });
    const done = await (files === null ? follow() : bringHostFiles(invocation, files, follow));
    for (const warning of done.warnings) await output.remark(escapeText(warning));
    await output.changed(done, endOf(done));
  },
};

/** It is open before the state is changed as its owner, who could not read a file of root's. */
async function uploadOf(source: string): Promise<Upload> {
  try {
    const [{ size }, file] = [await stat(source), createReadStream(source)];
    await once(file, "open");
    return { lengthBytes: size, [Symbol.asyncIterator]: () => file[Symbol.asyncIterator]() };
  } catch (error) {
    throw fileFailure(error, source);
  }
}

async function keyOf({ options, context }: Invocation, source: string): Promise<OpeningKey> {
  const files = options.texts("identity");
  if (files.length > 0) {
    const keys = await Promise.all(files.map((file) => identitiesIn(file, source)));
    return { identity: keys.flat().join("\n") };
  }
  const { stdin } = context;
  if (options.has("passphrase-stdin")) return { passphrase: await readFirstLine(stdin) };
  if (!stdin.isTTY)
    throw new CommandError(
      2,
      "There is no terminal to ask for the passphrase on. Give it on standard input with --passphrase-stdin, or a private key with --identity FILE.",
    );
  const question = `Passphrase of ${source}: `;
  return { passphrase: notEmpty(await withHiddenInput(context, (ask) => ask(question))) };
}

/** Files that are no keys of this kind, by a line of theirs, and the way to keys that are. */
const otherKeys: readonly (readonly [RegExp, string])[] = [
  [
    /^age-encryption\.org|^-----BEGIN AGE ENCRYPTED/,
    "is itself encrypted. Open it first: `age -d -o key.txt FILE`",
  ],
  [
    /^-----BEGIN .*PRIVATE KEY|^AGE-PLUGIN-/,
    "has a key of SSH or of a plugin, which only age can use. Encrypt the backup to another key: `age-keygen -o key.txt; age -d -i FILE BACKUP | age -r $(age-keygen -y key.txt) -o NEW.age`",
  ],
  [/^age1/i, "has only a public key. The private one begins with AGE-SECRET-KEY-1"],
  [/^/, "has no private key of age, which is a line that begins with AGE-SECRET-KEY-1"],
];

async function identitiesIn(path: string, source: string): Promise<string[]> {
  const lines = await givenLines(path);
  const keys = lines.filter((line) => /^AGE-SECRET-KEY-(PQ-)?1/.test(line));
  if (keys.length > 0) return keys;
  const [, fault = ""] = otherKeys.find(([form]) => [...lines, ""].some((line) => form.test(line))) ?? [];
  const advice = fault.replace(/FILE|BACKUP/g, (word) => shellLine([word === "FILE" ? path : source]));
  throw new CommandError(6, escapeText(`${path} ${advice}. Nothing was changed.`));
}

function questionOf({ as_replacement, device }: RestorePlan, files = 0): string {
  const all = as_replacement ? "Replace" : "Restore the users and settings of";
  const place = as_replacement ? "with this device" : "to this device";
  return `${all} ${nameOf(device)} ${place}${files > 0 ? ", including these files of root" : ""}?`;
}

function nameOf({ name, host_name }: RestorePlan["device"]): string {
  return escapeText(name || host_name);
}

function sentencesOf(plan: RestorePlan): string[] {
  const { device, made_at, steward, as_replacement, releases, left_out, warnings } = plan;
  return [
    `Backup of ${nameOf(device)} (host name ${escapeText(device.host_name)}), made ${made_at} by Steward ${escapeText(steward)}.`,
    `Restores ${counted(plan.users, "user")} (${plan.two_factor} with a second factor), ${counted(plan.tokens, "API token")}${as_replacement ? "" : ", which are suspended until `steward token resume`"}, and all settings.`,
    `Deletes ${counted(plan.lost_users, "user")} of this device, its settings, API tokens, sessions and record of events.`,
    ...(as_replacement ? replacement : []),
    ...list("To be fetched again from the publisher", releases),
    ...list("Not in the backup", left_out),
    ...warnings.map(escapeText),
  ];
}

function notBrought({ host_files }: RestorePlan): string[] {
  const names = host_files.filter(({ differs }) => differs).map(({ path }) => path);
  return list("Root's files that differ and stay; --with-host-files shows and restores them", names);
}

const replacement = [
  "This device also takes over the certificate, API tokens, place in waves, record of events, host name and time zone. The other device must not come back: programs could not tell the two apart.",
];

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

function list(what: string, names: readonly string[]): string[] {
  return names.length === 0 ? [] : [`${what}: ${names.map(escapeText).join(", ")}.`];
}

function endOf({ as_replacement, tokens, device }: RestorePlan): string {
  if (as_replacement) return `This device is now ${nameOf(device)}. Do not switch on the other one again.`;
  const resume =
    tokens > 0 ? " Its API tokens are suspended: `steward token list`, then `steward token resume`." : "";
  return `This device now has the users and settings of ${nameOf(device)}.${resume}`;
}

import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import type { OpeningKey } from "../../backup/age.ts";
import type { RestorePlan } from "../../backup/restore.ts";
import { StewardError } from "../../contract/errors.ts";
import type { Input, Upload } from "../../contract/types.ts";
import { CommandError } from "../../terminal/command-error.ts";
import { agreesTo, shellLine } from "../../terminal/commands/consent.ts";
import { escapeText } from "../../terminal/escape.ts";
import { fileFailure } from "../../terminal/failure.ts";
import { withHiddenInput } from "../../terminal/prompt.ts";
import type { Command, Invocation } from "../client/command.ts";
import { requireLocal } from "../client/places.ts";
import { readFirstLine } from "../users/new-password.ts";
import { restoreHostFiles } from "./host-files.ts";
import { keyLines } from "./key-lines.ts";

/** A backup becomes this device: all of it or nothing (docs/restore.md). */
export const restore: Command = {
  path: ["restore"],
  summary:
    "As root: make this device of a backup, all of it or nothing; it shows what comes and goes, and asks",
  examples: [
    { line: "steward restore box-a.age --check", what: "shows what would change, and changes nothing" },
    {
      line: "steward restore box-a.age --as-replacement",
      what: "in place of the other device, which must not come back",
    },
  ],
  positionals: [{ name: "FILE" }],
  options: [
    {
      name: "as-replacement",
      summary: "take the place of the other device: API tokens, certificate and record go on",
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
      isFile: true,
      summary: "a file with private keys, as age-keygen makes it; each is tried; can be repeated",
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
    const plan = await client.call("restoreBackup", { body: { ...request, check: true } });
    const says = sentencesOf(plan);
    if (options.has("check")) return output.values(plan, says);
    if (!(await agreesTo(invocation, { says, question: questionOf(plan) }))) return;
    const done = await carryOut(invocation, source, { plan, request });
    for (const warning of done.warnings) await output.remark(escapeText(warning));
    await output.changed(done, endOf(done));
  },
};

async function uploadOf(source: string): Promise<Upload> {
  try {
    const { size } = await stat(source);
    return {
      lengthBytes: size,
      [Symbol.asyncIterator]: () => createReadStream(source)[Symbol.asyncIterator](),
    };
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
  return { passphrase: given(await withHiddenInput(context, (ask) => ask(question))) };
}

function given(passphrase: string | undefined): string {
  if (passphrase) return passphrase;
  throw new CommandError(6, "The passphrase is empty. Nothing was changed.");
}

/** Files that are no keys of this kind, by a line of theirs, and the way to keys that are. */
const otherKeys: readonly (readonly [RegExp, string])[] = [
  [
    /^age-encryption\.org|^-----BEGIN AGE ENCRYPTED/,
    "is itself encrypted. Open it first: `age -d -o key.txt FILE`",
  ],
  [
    /^-----BEGIN .*PRIVATE KEY|^AGE-PLUGIN-/,
    "has a key of SSH or of a plugin, which only age can use. Make a file for another key: `age-keygen -o key.txt; age -d -i FILE BACKUP | age -r $(age-keygen -y key.txt) -o NEW.age`",
  ],
  [/^age1/i, "has only a public key. The private one begins with AGE-SECRET-KEY-1"],
  [/^/, "has no private key of age: a line that begins with AGE-SECRET-KEY-1"],
];

async function identitiesIn(path: string, source: string): Promise<string[]> {
  const lines = await keyLines(path);
  const keys = lines.filter((line) => /^AGE-SECRET-KEY-(PQ-)?1/.test(line));
  if (keys.length > 0) return keys;
  const [, fault = ""] = otherKeys.find(([form]) => [...lines, ""].some((line) => form.test(line))) ?? [];
  const advice = fault.replace(/FILE|BACKUP/g, (word) => shellLine([word === "FILE" ? path : source]));
  throw new CommandError(6, escapeText(`${path} ${advice}. Nothing was changed.`));
}

/** Files of root's come first to their places, and the state follows once they are there. */
async function carryOut(
  invocation: Invocation,
  source: string,
  { plan, request }: { plan: RestorePlan; request: Input<"restoreBackup">["body"] & OpeningKey },
): Promise<RestorePlan> {
  const { client, context, output } = invocation;
  const differ = plan.host_files.some(({ differs }) => differs);
  if (differ && context.program.userId() !== 0) {
    await output.remark(
      "The files of /etc/steward are root's and stay as they are: run this as root, while the agent runs, to bring them too.",
    );
    return client.call("restoreBackup", { body: request });
  }
  const body = { ...request, with_host_files: differ };
  const ready = await client.call("restoreBackup", { body });
  if (!ready.awaits_host_files) return ready;
  return restoreHostFiles(invocation, { source, key: request, plan: ready }, async () => {
    const done = await client.call("restoreBackup", { body });
    if (done.done) return done;
    throw new StewardError(
      "state_damaged",
      "The agent does not see the files in /etc/steward as the backup has them: perhaps it was started with another --host-file. Set STEWARD_HOST_FILE to that file, and restore again.",
    );
  });
}

function questionOf({ as_replacement, device }: RestorePlan): string {
  const name = nameOf(device);
  return as_replacement ? `Make this device ${name}?` : `Make this device of the backup of ${name}?`;
}

function nameOf({ name, host_name }: RestorePlan["device"]): string {
  return escapeText(name || host_name);
}

function sentencesOf(plan: RestorePlan): string[] {
  const { device, made_at, steward, as_replacement, host_files, releases, left_out, warnings } = plan;
  const changed = host_files.filter(({ differs }) => differs).map(({ path }) => path);
  return [
    `The backup of ${nameOf(device)} (host name ${escapeText(device.host_name)}), made ${made_at} by Steward ${escapeText(steward)}.`,
    `Comes: ${counted(plan.users, "user")} (${plan.two_factor} with a second factor), ${counted(plan.tokens, "API token")}${as_replacement ? "" : ", which are suspended until `steward token resume`"}, and all settings.`,
    `Goes: ${counted(plan.lost_users, "user")} of this device, its settings, API tokens, sessions and record of events.`,
    ...(as_replacement ? replacement : []),
    ...list("Replaced in the directory of the host file", changed),
    ...list("This device fetches from its publisher", releases),
    ...list("In no backup", left_out),
    ...warnings.map(escapeText),
  ];
}

const replacement = [
  "It also takes over certificate, API tokens, place in waves, record of events, host name and time zone. The other device must not come back: programs could not tell the two apart.",
];

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

function list(what: string, names: readonly string[]): string[] {
  return names.length === 0 ? [] : [`${what}: ${names.map(escapeText).join(", ")}.`];
}

function endOf({ as_replacement, tokens, device }: RestorePlan): string {
  if (as_replacement) return `This device is ${nameOf(device)} now. Do not switch the other one on again.`;
  const resume =
    tokens > 0 ? " Its API tokens are suspended: `steward token list`, then `steward token resume`." : "";
  return `This device has the users and settings of ${nameOf(device)} now.${resume}`;
}

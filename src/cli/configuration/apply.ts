import { jsonOf } from "../../contract/text/json-of.ts";
import type { Configuration, ConfigurationChange, ConfigurationResult } from "../../contract/types.ts";
import { CommandError, OnlyExitCode, UsageError } from "../../terminal/command-error.ts";
import { escapeText } from "../../terminal/escape.ts";
import { givenText, noText } from "../../terminal/given-text.ts";
import type { Command, Invocation } from "../client/command.ts";
import { requireLocal } from "../client/places.ts";
import { updateRootPath, writeUpdateRoot } from "../updates/update-trust-install.ts";

/** Exit code of --check where the device is not as the file says, for those who watch for drift. */
const differs = 10;

/** As much as the agent takes of one. */
const bound = {
  maximumBytes: 512 * 1024,
  advice: "Split it: anything that a file does not mention stays as it is.",
};

/** A device from one file: what the agent is asked is all or nothing, and asking twice changes nothing. */
export const apply: Command = {
  path: ["apply"],
  summary:
    "As root: make users, API tokens, settings and the root of trust match a file, all of it or nothing; a second run changes nothing",
  examples: [
    { line: "steward apply fleet.json --check --diff", what: "shows what would change, old and new" },
    { line: "steward apply -", what: "takes the file from standard input" },
    { line: "steward apply --export > device.json", what: "describes this device in such a file" },
  ],
  positionals: [{ name: "FILE", isOptional: true }],
  options: [
    { name: "check", summary: "say what would change, and change nothing; exit 10 if something would" },
    { name: "diff", summary: "show old and new values, but no secrets" },
    { name: "export", summary: "instead print the file that describes this device" },
    {
      name: "without-secrets",
      summary: "with --export: leave out password hashes, second factors, tokens, and secrets in settings",
    },
    {
      name: "seal-to",
      value: "KEY",
      excludes: "without-secrets",
      summary: "with --export: seal second factors to another device's key (`steward seal-key`)",
    },
  ],
  worksOffline: true,
  async run(invocation) {
    const { positionals, options, places, client, context, output } = invocation;
    requireLocal(places, "apply");
    const [source] = positionals;
    if (options.has("export")) return exportDevice(invocation);
    const foreign = ["without-secrets", "seal-to"].find((name) => options.has(name));
    if (foreign !== undefined) throw new UsageError(`--${foreign} is for --export.`);
    if (source === undefined) throw new UsageError("Name the file, or - for standard input.");
    const isStandardInput = source === "-";
    const text = await givenText(isStandardInput ? context.stdin : source, bound);
    // The agent judges the content.
    const configuration = jsonOf(text, (why) =>
      noText(isStandardInput ? "Standard input" : source, why),
    ) as Configuration;
    const check = options.has("check");
    const result = check
      ? await client.call("applyConfiguration", { query: { check }, body: configuration })
      : await applyWithRoot(invocation, configuration);
    await output.report(result, report(result, options.has("diff")));
    if (!check || !result.changed) return;
    await output.remark("Nothing was changed: --check was given.");
    throw new OnlyExitCode(differs);
  },
};

async function exportDevice({ positionals, options, client, output }: Invocation): Promise<void> {
  const [file] = positionals;
  const others = ["check", "diff"].filter((name) => options.has(name)).map((name) => `--${name}`);
  const [surplus] = [...(file === undefined ? [] : [file]), ...others];
  if (surplus !== undefined)
    throw new UsageError(`--export reads no file and changes nothing, so it takes no ${surplus}.`);
  const sealTo = options.text("seal-to");
  const query = { without_secrets: options.has("without-secrets"), ...(sealTo && { seal_to: sealTo }) };
  const { configuration, left_out } = await client.call("exportConfiguration", { query });
  await output.document(configuration);
  for (const { subject, name, detail } of left_out)
    await output.remark(`Left out of ${name === "" ? subject : `${subject} ${name}`}: ${detail}`);
}

function report({ changed, changes }: ConfigurationResult, isDiff: boolean): string {
  if (!changed) return "no change\n";
  return changes.flatMap((change) => [lineOf(change, isDiff), ...(isDiff ? diffOf(change) : [])]).join("");
}

function lineOf({ action, subject, name, members }: ConfigurationChange, isDiff: boolean): string {
  const what = name === "" ? subject : `${subject} ${name}`;
  const which = action === "changed" && !isDiff ? `: ${members.map(({ member }) => member).join(", ")}` : "";
  return `${action} ${escapeText(what)}${which}\n`;
}

function diffOf({ members }: ConfigurationChange): string[] {
  return members.map(({ member, before, after, is_secret }) => {
    if (is_secret) return `  ${member}: (secret)\n`;
    return `  ${member}: ${escapeText(before ?? "none")} → ${escapeText(after ?? "none")}\n`;
  });
}

/**
 * Applies a configuration. A root of trust in it is written here, as root, for the agent must not be able to: the agent
 * keeps the rest ready on the disk, the file that root puts in place brings all of it in force, and the agent does the rest
 * when it is asked again, or at its next start.
 */
async function applyWithRoot(
  invocation: Invocation,
  configuration: Configuration,
): Promise<ConfigurationResult> {
  const { client, context, places } = invocation;
  const ask = (body: Configuration) => client.call("applyConfiguration", { query: { check: false }, body });
  const userId = context.program.userId();
  const ready = await ask(configuration);
  if (ready.awaits_update_root === null) return ready;
  try {
    requireSameUser(userId, context.program.userId());
    await write(invocation, configuration, ready.awaits_update_root);
  } catch (error) {
    // Nothing of it is to wait for that root any more.
    await ask({ version: 1 }).catch(() => undefined);
    throw error;
  }
  const done = await ask(configuration);
  if (done.awaits_update_root === null) return { ...ready, awaits_update_root: null };
  await ask({ version: 1 });
  throw new CommandError(
    1,
    `The root of trust is in ${updateRootPath(places.hostFile)}, but the agent does not see it there: perhaps it was started with another --host-file. Nothing else was changed. Set STEWARD_HOST_FILE to that file, and apply again.`,
  );
}

/** While no agent runs, the state is changed as its owner, who cannot write files of root. */
function requireSameUser(before: number | undefined, now: number | undefined): void {
  if (before === now) return;
  throw new CommandError(
    8,
    "The agent is not running, and a root of trust can only be applied while it is. Nothing was changed. Start it (systemctl start steward), and apply again.",
  );
}

async function write(
  { context, places }: Invocation,
  { update_root }: Configuration,
  fingerprint: string,
): Promise<void> {
  const root = Array.isArray(update_root) ? update_root.at(-1) : update_root;
  const bytes = Buffer.from(`${JSON.stringify(root, undefined, 2)}\n`);
  // Root's own look at it: what the agent says does not decide whose updates count.
  const own = (await context.readRootOfTrust(bytes)).fingerprint;
  if (own !== fingerprint)
    throw new CommandError(1, `The agent expects a root of trust other than the file's: ${fingerprint}.`);
  await writeUpdateRoot(updateRootPath(places.hostFile), bytes);
}

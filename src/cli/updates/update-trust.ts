import { setTimeout as delay } from "node:timers/promises";
import type { UpdateTrust } from "../../contract/types.ts";
import { CommandError } from "../../terminal/command-error.ts";
import { escapeText } from "../../terminal/escape.ts";
import { fingerprintGroups, readFingerprint } from "../../terminal/fingerprint.ts";
import { askLine } from "../../terminal/prompt.ts";
import { type Fields, formatFields, formatTable } from "../../terminal/table.ts";
import type { Command, Invocation } from "../client/command.ts";
import type { Client } from "../client/context.ts";
import { installTrust } from "./update-trust-install.ts";

const show: Command = {
  path: ["update", "trust", "show"],
  summary: "Show the root of trust of updates: its keys, and whether it is confirmed and proven",
  worksOffline: true,
  async run({ client, output }) {
    const trust = await presentTrust(client);
    await output.report(trust, trustReport(trust));
  },
};

const install: Command = {
  path: ["update", "trust", "install"],
  summary: "As root: install the publisher's root of trust on this device",
  positionals: [{ name: "FILE" }],
  options: [
    { name: "replace", summary: "replace another root" },
    { name: "host-file", value: "FILE", summary: "the host file; the root of trust goes into its directory" },
  ],
  run: installTrust,
};

const confirm: Command = {
  path: ["update", "trust", "confirm"],
  summary: "Confirm that the installed root of trust is the publisher's, by its whole fingerprint",
  positionals: [{ name: "FINGERPRINT", isOptional: true }],
  worksOffline: true,
  async run(invocation) {
    const { positionals, client, output } = invocation;
    const given = positionals[0];
    const fingerprint = given === undefined ? await compared(invocation) : readFingerprint(given);
    const { trust } = await client.call("confirmUpdateTrust", { body: { fingerprint } });
    await output.changed(trust, confirmed(trust));
  },
};

export const trustCommands: readonly Command[] = [show, install, confirm];

/** The fingerprint that the user types or confirms. Throws CommandError: 1 (another one), 2 (no terminal), 5 (no root). */
async function compared({ client, context, output }: Invocation): Promise<string> {
  if (!context.stdin.isTTY) {
    throw new CommandError(
      2,
      "There is no terminal to compare fingerprints on; give the whole fingerprint, as the publisher gave it to you.",
    );
  }
  const trust = await presentTrust(client);
  if (trust.fingerprint === null) throw new CommandError(5, trust.status.detail);
  await output.remark(
    `The root of trust on this device has the fingerprint\n\n${fingerprintGroups(trust.fingerprint)}`,
  );
  const answer = await askLine(
    context,
    "Type the fingerprint that the publisher gave you, or yes if you have compared all of it: ",
  );
  if (/^y(es)?$/i.test(answer.trim())) return trust.fingerprint;
  if (/^(no?)?$/i.test(answer.trim())) throw new CommandError(1, "Not confirmed; nothing was changed.");
  const typed = readFingerprint(answer);
  if (typed === trust.fingerprint) return typed;
  throw new CommandError(
    1,
    "That is another fingerprint. Nothing was changed: do not trust this root until you know why they differ.",
  );
}

/** Milliseconds in which the agent finds a new root: reading the status makes it poll, without waiting for the disk. */
const pollMilliseconds = 300;

/** The trust; where there seems to be none, after a second request. */
async function presentTrust(client: Client): Promise<UpdateTrust> {
  const { trust } = await client.call("getUpdates", {});
  if (trust.installed) return trust;
  await delay(pollMilliseconds);
  return (await client.call("getUpdates", {})).trust;
}

function confirmed({ established, status }: UpdateTrust): string {
  if (established)
    return "The root of trust is confirmed, and the update server has completed a check under it.";
  return `The root of trust is confirmed. ${status.detail}`;
}

/** The fingerprint in groups, the keys, and the missing steps; each line ends in a line feed. */
function trustReport(trust: UpdateTrust): string {
  const { fingerprint, keys, status } = trust;
  const groups = fingerprint === null ? "" : `\n${fingerprintGroups(fingerprint)}`;
  const table = { heads: ["ROLE", "SIGNATURES", "KEYS"], rows: keys.map(keyCells) };
  const roles = keys.length === 0 ? "" : `\n${formatTable(table)}`;
  return `${escapeText(status.detail)}\n${groups}\n${formatFields(trustFields(trust))}${roles}`;
}

function trustFields(trust: UpdateTrust): Fields {
  const { confirmed_at, confirmed_by } = trust;
  return [
    ["fingerprint", trust.fingerprint],
    ["installed", trust.installed],
    ["confirmed", trust.confirmed ? `by ${confirmed_by ?? "unknown"}, ${confirmed_at ?? "unknown"}` : false],
    ["proven", trust.proven],
    ["root in force", trust.root_version === null ? null : `version ${trust.root_version}`],
    ["expires", trust.root_expires_at],
  ];
}

/** Digits of a key's id that tell the keys of one publisher apart. */
const shownDigits = 16;

function keyCells({ role, threshold, key_ids }: UpdateTrust["keys"][number]): unknown[] {
  return [role, `${threshold} of ${key_ids.length}`, key_ids.map((id) => id.slice(0, shownDigits))];
}

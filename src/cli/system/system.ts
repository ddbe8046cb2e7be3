import { StewardError } from "../../contract/errors.ts";
import type { Settings } from "../../contract/types.ts";
import { CommandError, UsageError } from "../../terminal/command-error.ts";
import { givenText } from "../../terminal/given-text.ts";
import type { Command, Invocation } from "../client/command.ts";
import type { Client } from "../client/context.ts";
import { factsFields } from "./facts-view.ts";
import { type ParsedChange, parseAssignments, parseSettings, settingKeys } from "./setting-change.ts";
import { settingFields, settingKeysOf, settingText, unknownKey, valueAt } from "./setting-keys.ts";

const keys = settingKeys.map((setting) => setting.key);

const get: Command = {
  path: ["system", "get"],
  summary: "Show all settings, or the setting or group KEY, in the form that `system set` takes",
  examples: [{ line: "steward system get -o json > settings.json", what: "saves the settings" }],
  positionals: [{ name: "KEY", isOptional: true, suggestions: keys }],
  worksOffline: true,
  async run({ positionals: [key], client, output }) {
    const settings = await client.call("getSettings", {});
    const value = key === undefined ? settings : valueAt(settings, key);
    if (value === undefined) throw missingSetting(key ?? "");
    const fields = settingFields(value, key ?? "");
    if (fields[0]?.[0] === key) return output.values(value, [settingText(value)]);
    await output.values(value, fields.map(assignmentOf));
  },
};

const set: Command = {
  path: ["system", "set"],
  aliases: ["modify"],
  summary: "Change settings, all of them or none, and show which changed",
  examples: [
    { line: "steward system set device.name=edge-7 update.ota.check_interval=12h", what: "two at once" },
    { line: "steward system set time.servers=ntp1.example,ntp2.example", what: "a list" },
    { line: "steward system set --stdin < settings.json", what: "the output of `system get`" },
  ],
  positionals: [
    { name: "KEY=VALUE", isOptional: true, isRepeated: true, suggestions: keys.map((key) => `${key}=`) },
  ],
  options: [
    { name: "stdin", summary: "read the settings from standard input: KEY=VALUE lines, or a JSON object" },
  ],
  worksOffline: true,
  async run(invocation) {
    const { client, output } = invocation;
    const { change, keys: given } = await changeOf(invocation);
    const before = await settingsBefore(client);
    const after = await client.call("updateSettings", { body: change });
    if (before === undefined) {
      return output.changed(
        { changed: null },
        "The settings have these values; this token cannot read whether they had them before.",
      );
    }
    const changed = given.filter((key) => textAt(before, key) !== textAt(after, key));
    await output.values(
      { changed },
      changed.map((key) => assignmentOf([key, valueAt(after, key)])),
    );
    if (changed.length === 0)
      await output.remark("Nothing was changed: the settings have these values already.");
  },
};

/** Undefined for a token that may write but not read. */
async function settingsBefore(client: Client): Promise<Settings | undefined> {
  try {
    return await client.call("getSettings", {});
  } catch (error) {
    if (error instanceof StewardError && error.code === "insufficient_scope") return undefined;
    throw error;
  }
}

async function changeOf({ positionals, options, context }: Invocation): Promise<ParsedChange> {
  if (!options.has("stdin")) {
    if (positionals.length === 0) throw new UsageError("KEY=VALUE is missing.");
    return parseAssignments(positionals);
  }
  if (positionals.length > 0)
    throw new UsageError("Give the settings on standard input or as KEY=VALUE, not both.");
  return parseSettings(await givenText(context.stdin));
}

function assignmentOf([key, value]: readonly [string, unknown]): string {
  return `${key}=${settingText(value)}`;
}

function textAt(settings: unknown, key: string): string {
  return settingText(valueAt(settings, key));
}

const schema: Command = {
  path: ["system", "schema"],
  summary: "Show each setting's type and default, and the least role that may change it",
  worksOffline: true,
  async run({ client, output }) {
    const document = await client.call("getSettingsSchema", {});
    await output.table(document, {
      heads: ["KEY", "TYPE", "DEFAULT", "WRITER", "MEANING"],
      rows: settingKeysOf(document).map(({ key, type, values, defaultValue, writer, description }) => [
        key,
        values?.join("|") ?? type,
        defaultValue,
        writer,
        description,
      ]),
    });
  },
};

const facts: Command = {
  path: ["system", "facts"],
  summary: "Show facts about the host: hardware, memory, disks, network, load",
  worksOffline: true,
  async run({ client, output }) {
    const document = await client.call("getSystemFacts", {});
    await output.fields(document, factsFields(document));
  },
};

export const systemCommands: readonly Command[] = [get, set, schema, facts];

/** A setting that exists but is not in the answer is hidden from the token's role. */
function missingSetting(key: string): CommandError {
  if (keys.includes(key)) return new CommandError(4, `The setting ${key} is hidden from this role.`);
  return unknownKey(key, settingKeys);
}

import type { Settings } from "../contract/types.ts";
import type { Command } from "./command.ts";
import { CommandError } from "./context.ts";
import { factsFields } from "./facts-view.ts";
import { parseAssignments, settingKeys } from "./setting-change.ts";
import { settingFields, settingKeysOf, unknownKey, valueAt } from "./setting-keys.ts";

const keys = settingKeys.map((setting) => setting.key);

const get: Command = {
  path: ["system", "get"],
  summary: "Show the settings, or the setting or group KEY",
  positionals: [{ name: "KEY", isOptional: true, suggestions: keys }],
  options: [],
  worksOffline: true,
  async run({ positionals: [key], client, output }) {
    const settings = await client.call("getSettings", {});
    if (key === undefined) return output.fields(settings, settingFields(settings, ""));
    const value = valueAt(settings, key);
    if (value === undefined) throw missingSetting(key);
    const fields = settingFields(value, key);
    if (fields[0]?.[0] === key) return output.value(value, value);
    await output.fields(value, fields);
  },
};

const set: Command = {
  path: ["system", "set"],
  aliases: ["modify"],
  summary: "Change settings, all of them or none",
  examples: [
    { line: "steward system set device.name=edge-7 update.ota.check_interval=12h", what: "two at once" },
  ],
  positionals: [{ name: "KEY=VALUE", isRepeated: true, suggestions: keys.map((key) => `${key}=`) }],
  options: [],
  worksOffline: true,
  async run({ positionals, client, output }) {
    const { change, keys: changed } = parseAssignments(positionals);
    const settings: Settings = await client.call("updateSettings", { body: change });
    await output.fields(
      settings,
      changed.map((key) => [key, valueAt(settings, key)]),
    );
  },
};

const schema: Command = {
  path: ["system", "schema"],
  summary: "Show each setting's type, default and least role that may change it",
  positionals: [],
  options: [],
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
  summary: "Show what the host is and how it does",
  positionals: [],
  options: [],
  worksOffline: true,
  async run({ client, output }) {
    const document = await client.call("getSystemFacts", {});
    await output.fields(document, factsFields(document));
  },
};

export const systemCommands: readonly Command[] = [get, set, schema, facts];

/** A setting that exists but did not come is one that the token's role must not see. */
function missingSetting(key: string): CommandError {
  if (keys.includes(key)) return new CommandError(4, `The setting ${key} is hidden from this role.`);
  return unknownKey(key, settingKeys);
}

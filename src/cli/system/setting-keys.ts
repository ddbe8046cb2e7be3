import { isObject } from "../../store/validation/members.ts";
import { CommandError } from "../../terminal/command-error.ts";
import { nearMisses } from "../../terminal/commands/near-miss.ts";

/** One setting of the schema, by its dotted key such as `update.ota.channel`. */
export interface SettingKey {
  readonly key: string;
  /** In the words of JSON Schema, such as `string`, or `integer or null`. */
  readonly type: string;
  /** True of a list whose items are texts, or may be. */
  readonly takesTexts: boolean;
  readonly values: readonly unknown[] | undefined;
  readonly defaultValue: unknown;
  readonly writer: unknown;
  readonly description: string;
}

/** The settings of a JSON Schema in its order; an object without `properties` counts as one setting. */
export function settingKeysOf(schema: unknown, prefix = ""): SettingKey[] {
  if (!isObject(schema)) return [];
  if (isObject(schema.properties)) {
    return Object.entries(schema.properties).flatMap(([name, member]) =>
      settingKeysOf(member, prefix === "" ? name : `${prefix}.${name}`),
    );
  }
  return [
    {
      key: prefix,
      type: Array.isArray(schema.type) ? schema.type.join(" or ") : String(schema.type),
      takesTexts: formsOf(schema.items).some(({ type }) => type === "string"),
      values: Array.isArray(schema.enum) ? schema.enum : undefined,
      defaultValue: schema.default,
      writer: schema["x-writer"],
      description: typeof schema.description === "string" ? schema.description : "",
    },
  ];
}

function formsOf(schema: unknown): readonly Record<string, unknown>[] {
  if (!isObject(schema)) return [];
  return Array.isArray(schema.oneOf) ? schema.oneOf.filter(isObject) : [schema];
}

/** The settings of a document as dotted keys and values; `prefix` is the key of `value` itself. */
export function settingFields(value: unknown, prefix: string): [string, unknown][] {
  if (!isObject(value)) return [[prefix, value]];
  return Object.entries(value).flatMap(([name, member]) =>
    settingFields(member, prefix === "" ? name : `${prefix}.${name}`),
  );
}

/** A value as `system set KEY=VALUE` takes it. */
export function settingText(value: unknown): string {
  if (typeof value === "string") return value;
  const isTexts = Array.isArray(value) && value.every((item) => typeof item === "string");
  return isTexts ? value.join(",") : (JSON.stringify(value) ?? "null");
}

/** The value or group at a dotted key; undefined when there is none. */
export function valueAt(document: unknown, key: string): unknown {
  let value = document;
  for (const name of key.split(".")) {
    if (!isObject(value) || !Object.hasOwn(value, name)) return undefined;
    value = value[name];
  }
  return value;
}

/** Exit 6, with similar settings, or those of the group that was named. */
export function unknownKey(key: string, known: readonly SettingKey[]): CommandError {
  const keys = known.map((setting) => setting.key);
  const members = keys.filter((candidate) => candidate.startsWith(`${key}.`));
  if (members.length > 0)
    return new CommandError(6, `"${key}" is a group of settings: ${members.join(", ")}.`);
  const last = key.split(".").at(-1) ?? key;
  const near = [...nearMisses(key, keys), ...keys.filter((candidate) => candidate.endsWith(`.${last}`))];
  const hint = near.length === 0 ? 'See "steward system get".' : `Near: ${[...new Set(near)].join(", ")}.`;
  return new CommandError(6, `There is no setting "${key}". ${hint}`);
}

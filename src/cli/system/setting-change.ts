import { hidden, settings } from "../../contract/schemas/settings.ts";
import { jsonOf, valueIn } from "../../contract/text/json-of.ts";
import type { SettingsChange } from "../../contract/types.ts";
import { CommandError } from "../../terminal/command-error.ts";
import { noText } from "../../terminal/given-text.ts";
import { type SettingKey, settingFields, settingKeysOf, unknownKey } from "./setting-keys.ts";

export const settingKeys: readonly SettingKey[] = settingKeysOf(settings);

export interface ParsedChange {
  readonly change: SettingsChange;
  readonly keys: readonly string[];
}

/** Reads `KEY=VALUE` by the schema, groups as JSON. The agent checks values. Throws CommandError 2 (form), 6 (content). */
export function parseAssignments(assignments: readonly string[]): ParsedChange {
  return changeOf(assignments.flatMap(assigned));
}

/** Reads `system get`: `KEY=VALUE` lines without empty ones and #, or one JSON object. Throws CommandError 2 or 6. */
export function parseSettings(text: string): ParsedChange {
  if (text.trimStart().startsWith("{")) return changeOf(membersOf(parseJson(text, "Standard input"), ""));
  const lines = text.split("\n").filter((line) => line.trim() !== "" && !line.startsWith("#"));
  return parseAssignments(lines);
}

type Member = readonly [key: string, value: unknown];

function changeOf(members: readonly Member[]): ParsedChange {
  const change: Record<string, unknown> = {};
  const keys: string[] = [];
  for (const [key, value] of members) {
    if (keys.includes(key)) throw new CommandError(2, `${key} is given twice; one value is expected.`);
    if (value === hidden) throw new CommandError(6, `${key} is hidden from this role; leave it out.`);
    keys.push(key);
    plant(change, key.split("."), value);
  }
  // The keys are those of the schema; the agent checks the values.
  return { change: change as SettingsChange, keys };
}

function assigned(assignment: string): Member[] {
  const [, key, text = ""] = /^([^=]+)=(.*)$/s.exec(assignment) ?? [];
  if (key === undefined)
    throw new CommandError(
      2,
      `"${assignment}" must have the form KEY=VALUE, such as update.ota.channel=stable.`,
    );
  const setting = settingKeys.find((candidate) => candidate.key === key);
  if (setting !== undefined) return [[key, parseValue(setting, text)]];
  const isGroup = settingKeys.some((candidate) => candidate.key.startsWith(`${key}.`));
  if (isGroup && text.startsWith("{")) return membersOf(parseJson(text, key), key);
  throw unknownKey(key, settingKeys);
}

/** The settings in a JSON object; `prefix` is the key of the object itself. */
function membersOf(value: unknown, prefix: string): Member[] {
  const members = settingFields(value, prefix).filter(([, member]) => member !== undefined);
  const unknown = members.find(([key]) => !settingKeys.some((setting) => setting.key === key));
  if (unknown) throw unknownKey(unknown[0], settingKeys);
  return members;
}

function parseJson(text: string, name: string): unknown {
  return jsonOf(text, (why) => noText(name, why));
}

function parseValue(setting: SettingKey, typed: string): unknown {
  const { key, type } = setting;
  if (type === "string") return typed;
  const text = typed.trim();
  if (type === "boolean") return parseSwitch(key, text);
  if (type === "array") return setting.takesTexts ? parseList(text) : parseArray(setting, text);
  if (["", "-", "null"].includes(text) && type.includes("null")) return null;
  if (/^-?\d{1,15}$/.test(text)) return Number(text);
  const kinds = type.includes("null") ? "a whole number, or null" : "a whole number";
  throw new CommandError(6, `${key} must be ${kinds}, not "${text}".`);
}

function parseSwitch(key: string, text: string): boolean {
  if (["true", "yes", "on"].includes(text)) return true;
  if (["false", "no", "off"].includes(text)) return false;
  throw new CommandError(6, `${key} must be true or false, not "${text}".`);
}

/** Texts separated by commas, or a JSON array; a list such as `[::1]:123` begins like one. */
function parseList(text: string): unknown {
  if (text === "") return [];
  const value = valueIn(text);
  return Array.isArray(value) ? value : text.split(",").map((item) => item.trim());
}

function parseArray({ key }: SettingKey, text: string): unknown {
  if (text === "") return [];
  const example = `'${key}=[]'`;
  return jsonOf(
    text,
    (why) => new CommandError(6, `${key} must be a JSON list, such as ${example}; it ${why}.`),
  );
}

/** The names are those of the schema, so that none of them is one of Object.prototype. */
function plant(tree: Record<string, unknown>, [name = "", ...rest]: readonly string[], value: unknown): void {
  if (rest.length === 0) {
    tree[name] = value;
    return;
  }
  tree[name] ??= {};
  plant(tree[name] as Record<string, unknown>, rest, value);
}

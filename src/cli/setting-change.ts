import { settings } from "../contract/settings.ts";
import type { SettingsChange } from "../contract/types.ts";
import { CommandError } from "./context.ts";
import { type SettingKey, settingKeysOf, unknownKey } from "./setting-keys.ts";

export const settingKeys: readonly SettingKey[] = settingKeysOf(settings);

/** One change, and the dotted keys that it touches. */
export interface ParsedChange {
  readonly change: SettingsChange;
  readonly keys: readonly string[];
}

/**
 * Reads `KEY=VALUE` pairs into one change. The schema says how VALUE is meant: a string is taken as it
 * stands, everything else is JSON. The agent judges the values. Throws CommandError 2 (form) or 6 (content).
 */
export function parseAssignments(assignments: readonly string[]): ParsedChange {
  const change: Tree = new Map();
  const keys: string[] = [];
  for (const assignment of assignments) {
    const { key, text } = splitAssignment(assignment);
    const setting = settingKeys.find((candidate) => candidate.key === key);
    if (setting === undefined) throw unknownKey(key, settingKeys);
    if (keys.includes(key)) throw new CommandError(2, `${key} is given twice; one value is expected.`);
    keys.push(key);
    plant(change, key.split("."), parseValue(setting, text));
  }
  // The keys are the schema's own; whether the values fit it is the agent's to say.
  return { change: toObject(change) as SettingsChange, keys };
}

function splitAssignment(assignment: string): { key: string; text: string } {
  const end = assignment.indexOf("=");
  if (end > 0) return { key: assignment.slice(0, end), text: assignment.slice(end + 1) };
  throw new CommandError(
    2,
    `KEY=VALUE is expected, such as update.ota.channel=stable; "${assignment}" is not of this form.`,
  );
}

function parseValue({ key, type, defaultValue }: SettingKey, text: string): unknown {
  switch (type) {
    case "string":
      return text;
    case "boolean":
      if (text === "true" || text === "false") return text === "true";
      throw new CommandError(6, `${key} is true or false, not "${text}".`);
    default:
      try {
        return JSON.parse(text);
      } catch {
        const example = `'${key}=${JSON.stringify(defaultValue)}'`;
        throw new CommandError(
          6,
          `${key} is ${type}, written as JSON, for example ${example}; "${text}" is not JSON.`,
        );
      }
  }
}

type Tree = Map<string, unknown>;

function plant(tree: Tree, [name = "", ...rest]: readonly string[], value: unknown): void {
  if (rest.length === 0) {
    tree.set(name, value);
    return;
  }
  const present = tree.get(name);
  const branch: Tree = present instanceof Map ? present : new Map();
  tree.set(name, branch);
  plant(branch, rest, value);
}

function toObject(tree: Tree): Record<string, unknown> {
  const members = [...tree].map(
    ([name, value]) => [name, value instanceof Map ? toObject(value) : value] as const,
  );
  return Object.fromEntries(members);
}

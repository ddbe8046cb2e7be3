import { settings as settingsSchema } from "../../contract/schemas/settings.ts";
import type { Settings, SettingsChange } from "../../contract/types.ts";
import { isObject } from "../../store/validation/members.ts";
import { withSecretsOf } from "../../store/validation/secrets.ts";

/** The settings merged with these members; a shown form means the present secret. Throws a TypeError for another shape. */
export function mergeSettings(present: Settings, change: SettingsChange): Settings {
  return merge(present, withSecretsOf(settingsSchema, present, change)) as Settings;
}

/** The names of the settings that differ, such as `update.ota.server`. */
export function changedSettings(before: Settings, after: Settings): string[] {
  return changedMembers(settingsSchema, before, after).map(({ pointer }) => dotted(pointer));
}

/** Arrays are replaced as a whole; an absent member stays. */
function merge(present: unknown, change: unknown): unknown {
  if (!isObject(present) || !isObject(change)) return change;
  const members = Object.entries(change).map(([key, value]) => [key, merge(present[key], value)]);
  return { ...present, ...Object.fromEntries(members) };
}

export function onlyDifferences(present: Settings, change: SettingsChange): SettingsChange {
  return differing(present, withSecretsOf(settingsSchema, present, change)) as SettingsChange;
}

function differing(present: unknown, change: unknown): unknown {
  if (!isObject(present) || !isObject(change)) return change;
  const members = Object.entries(change)
    .map(([key, value]) => [key, differing(present[key], value)] as const)
    .filter(([key, value]) =>
      isObject(value)
        ? Object.keys(value).length > 0
        : JSON.stringify(value) !== JSON.stringify(present[key]),
    );
  return Object.fromEntries(members);
}

/** A setting that differs from before. */
export interface ChangedMember {
  pointer: string;
  /** The `x-writer` of the member. */
  writer: unknown;
}

export function changedMembers(
  schema: unknown,
  before: unknown,
  after: unknown,
  pointer = "",
): ChangedMember[] {
  if (!isObject(schema)) return [];
  if ("x-writer" in schema) {
    const isSame = JSON.stringify(before) === JSON.stringify(after);
    return isSame ? [] : [{ pointer, writer: schema["x-writer"] }];
  }
  if (!isObject(schema.properties) || !isObject(before) || !isObject(after)) return [];
  return Object.entries(schema.properties).flatMap(([key, member]) =>
    changedMembers(member, before[key], after[key], `${pointer}/${key}`),
  );
}

/** The name of the setting at a JSON Pointer, such as `update.ota.server`. */
export function dotted(pointer: string): string {
  return pointer.slice(1).replaceAll("/", ".");
}

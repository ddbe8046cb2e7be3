import type { Fault, StewardError } from "../../contract/errors.ts";
import { settings as settingsSchema } from "../../contract/schemas/settings.ts";
import type { Settings, SettingsChange } from "../../contract/types.ts";
import { shownSecrets } from "../../store/validation/secrets.ts";
import { dotted, mergeSettings, onlyDifferences } from "./changes.ts";
import { settingsErrors } from "./rules.ts";

/** Rules about settings that another room owns. */
export interface SettingsGuard {
  /** All faults of a change; it contains only the members that differ from the present settings. */
  faultsOf(change: SettingsChange): Fault[];
  /** Checks the conditions that a change relies on, before the change is written; null: there is no objection. */
  refusalOf(change: SettingsChange): Promise<StewardError | null>;
}

/** All faults of the settings after a change. An equal value is no change: settings that were read can be written. */
export function settingsFaults(
  guards: readonly SettingsGuard[],
  present: Settings,
  change: SettingsChange,
): Fault[] {
  const next = mergeSettings(present, change);
  const differences = onlyDifferences(present, change);
  return [
    ...signatureFaults(differences),
    ...[...shownSecrets(settingsSchema, next), ...settingsErrors(next)].map((error) =>
      settingFault(error.pointer, "validation_failed", error),
    ),
    ...guards.flatMap((guard) => guard.faultsOf(differences)),
  ];
}

/** `as`: the code of the error that refuses a change with only this fault. */
export function settingFault(
  pointer: string,
  as: Fault["as"],
  { code, detail }: { code: string; detail: string },
): Fault {
  return { pointer, code, detail, as, sentence: `${dotted(pointer)} ${detail}` };
}

function signatureFaults({ update }: SettingsChange): Fault[] {
  if (update?.ota?.verify_signature !== false) return [];
  const said = { code: "must_be_true", detail: "must stay true: Steward installs only signed updates" };
  return [settingFault("/update/ota/verify_signature", "signature_verification_required", said)];
}

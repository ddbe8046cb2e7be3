import { type Fault, refuseFaults, StewardError } from "../../contract/errors.ts";
import { hidden, settings as settingsSchema } from "../../contract/schemas/settings.ts";
import type { Scope } from "../../contract/scopes.ts";
import type { Role, Settings, SettingsChange } from "../../contract/types.ts";
import type { Document } from "../../store/documents/document.ts";
import type { DocumentKind } from "../../store/documents/document-kind.ts";
import { isObject, onlyKnown } from "../../store/validation/members.ts";
import { withoutSecrets } from "../../store/validation/secrets.ts";
import { type ChangedMember, changedMembers, dotted, mergeSettings, onlyDifferences } from "./changes.ts";
import { type SettingsGuard, settingsFaults } from "./faults.ts";
import { refuseDirectory } from "./rules.ts";

/** The appliance's settings: read from memory, changed by merging the given members. */
export type SettingsStore = ReturnType<typeof createSettings>;

export interface Writer {
  role: Role;
  /** Root of the device, or the service's own user; an administrator of the console is neither. */
  isLocalRoot: boolean;
  /** The scope of the writing API token; absent: a person or local root writes. */
  scope?: Scope | undefined;
  /** Called before a change of a member for administrators; throws unless the password was given recently. */
  requireStepUp: () => void;
}

/** The kind of settings.json; `initial` overrides the defaults of a new device. */
export function settingsKind(defaults: Settings): DocumentKind<Settings> {
  return {
    name: "settings",
    // 2: `time.servers` has objects. A release that knows only texts there takes the bytes kept of 1 (design/state.md, rule 5).
    formatVersion: "2.0.0",
    schema: settingsSchema,
    defaults,
    onLoss: "rescue",
    rejoins: true,
    isNewVersion: (before, after) => JSON.stringify(before) !== JSON.stringify(after),
  };
}

export function createSettings(document: Document<Settings>) {
  const guards: SettingsGuard[] = [];
  const views = new WeakMap<Settings, Partial<Record<Role, Settings>>>();
  return {
    read: (): Settings => document.read(),
    /** The settings that `role` may see; one object as long as they are the same. */
    view: (role: Role, of = document.read()): Settings => {
      const known = views.get(of) ?? {};
      views.set(of, known);
      known[role] ??= viewOf(of, role);
      return known[role];
    },
    /**
     * Throws `forbidden` if the writer's role may not write a changed member, `validation_failed`,
     * `signature_verification_required`, `update_trust_not_established`, `update_root_unusable`, `pinned_by_host`, and
     * the errors of writer and `precondition`.
     */
    change: async (
      change: SettingsChange,
      writer: Writer,
      precondition?: (present: Settings) => void,
    ): Promise<Settings> => {
      const refusal = await firstRefusal(guards, onlyDifferences(document.read(), change));
      return document.update((present) => {
        precondition?.(present);
        const next = changed(guards, present, change, writer);
        if (refusal) throw refusal;
        return next;
      });
    },
    /**
     * Another room's reason to refuse a change, after it checked the conditions that the change relies on; null: none.
     */
    refusalOf: (change: SettingsChange): Promise<StewardError | null> =>
      firstRefusal(guards, onlyDifferences(document.read(), change)),
    /** The faults of a change, as far as it fits the schema; the same for every writer. */
    faultsOf: (change: SettingsChange): Fault[] => settingsFaults(guards, document.read(), change),
    /** From now on these rules apply as well. */
    addGuard: (guard: SettingsGuard): void => {
      guards.push(guard);
    },
  };
}

async function firstRefusal(
  guards: readonly SettingsGuard[],
  change: SettingsChange,
): Promise<StewardError | null> {
  for (const guard of guards) {
    const refusal = await guard.refusalOf(change);
    if (refusal) return refusal;
  }
  return null;
}

function changed(
  guards: readonly SettingsGuard[],
  present: Settings,
  change: SettingsChange,
  writer: Writer,
): Settings {
  const next = mergeSettings(present, change);
  if (!writer.isLocalRoot) refuseDirectory(present, next);
  refuseForeign(changedMembers(settingsSchema, present, next), writer);
  refuseFaults(settingsFaults(guards, present, change));
  return JSON.stringify(next) === JSON.stringify(present) ? present : next;
}

function refuseForeign(members: readonly ChangedMember[], { role, scope, requireStepUp }: Writer): void {
  const refused = members.filter(({ writer }) => !mayWrite(role, writer));
  if (members.some(({ writer }) => writer === "admin") && refused.length === 0) requireStepUp();
  if (refused.length > 0) {
    const errors = refused.map(({ pointer }) => ({
      pointer,
      code: "forbidden",
      detail: "only an administrator may change it",
    }));
    const details = { details: { errors } };
    const what = `change ${errors.map(({ pointer }) => dotted(pointer)).join(", ")}. Nothing was changed.`;
    if (scope === undefined)
      throw new StewardError("forbidden", `Your role "${role}" may not ${what}`, details);
    throw new StewardError(
      "insufficient_scope",
      `The scope ${scope} of an API token covers the settings that an operator may change, unless root has made it as a fleet token (\`steward token add --fleet\`); an administrator has to sign in to ${what}`,
      details,
    );
  }
}

function mayWrite(role: Role, writer: unknown): boolean {
  return role === "admin" || (role === "operator" && writer === "operator");
}

/** Members of a newer release stay in the document, but this release cannot show them correctly. */
function viewOf(settings: Settings, role: Role): Settings {
  const present = onlyKnown(settingsSchema, settings);
  if (role === "admin") return present;
  const open = withoutSecrets(settingsSchema, present);
  return role === "operator" ? open : (redact(settingsSchema, open) as Settings);
}

function redact(schema: unknown, value: unknown): unknown {
  if (!isObject(schema)) return value;
  if (schema["x-redacted"] === true) return value === "" ? "" : hidden;
  if (!isObject(schema.properties) || !isObject(value)) return value;
  const { properties } = schema;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, redact(properties[key], member)]),
  );
}

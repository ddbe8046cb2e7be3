import type { Role, Settings, SettingsChange } from "../../../contract/types.ts";

/** As much of JSON Schema as the settings' schema uses, with the contract's own annotations. */
export interface MemberSchema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly string[];
  readonly pattern?: string;
  readonly maxLength?: number;
  readonly maxItems?: number;
  readonly items?: MemberSchema;
  readonly properties?: Readonly<Record<string, MemberSchema>>;
  readonly default?: unknown;
  readonly title?: string;
  readonly description?: string;
  /** The least role that may change it; such a member is a setting. */
  readonly "x-writer"?: Role;
}

/** Values by the JSON pointer of their setting, such as `/device/name`. */
type Values = Readonly<Record<string, unknown>>;

/** The settings as they were read last, and what has been typed over them. Nothing of it is changed in place. */
export interface Draft {
  /** null: not read yet. */
  readonly base: Settings | null;
  readonly etag: string | null;
  /** Only what differs from `base`. */
  readonly typed: Values;
  /** The values before another user changed them during the editing; each is a question to the person. */
  readonly collisions: Values;
  readonly sent: Values;
}

export const emptyDraft: Draft = { base: null, etag: null, typed: {}, collisions: {}, sent: {} };

/** With this value typed for a setting; the one that it has takes the typing back. */
export function withTyped(draft: Draft, pointer: string, value: unknown): Draft {
  if (!isSame(value, valueAt(draft.base, pointer)))
    return { ...draft, typed: { ...draft.typed, [pointer]: value } };
  return { ...draft, typed: without(draft.typed, pointer), collisions: without(draft.collisions, pointer) };
}

/** On the agent's present values: typed input stays; a field that another user has changed too becomes a question. */
export function rebased(draft: Draft, base: Settings, etag: string | null): Draft {
  let next: Draft = { ...draft, base, etag };
  for (const [pointer, mine] of Object.entries(draft.typed)) {
    const before = valueAt(draft.base, pointer);
    const now = valueAt(base, pointer);
    if (isSame(now, mine)) next = withTyped(next, pointer, mine);
    // One's own, of a while ago.
    else if (isSame(now, before) || isSame(now, draft.sent[pointer])) continue;
    else if (!(pointer in draft.collisions))
      next = { ...next, collisions: { ...next.collisions, [pointer]: before } };
  }
  return next;
}

/** The person has decided: their own value, or the one of another user. */
export function settled(draft: Draft, pointer: string, isMine: boolean): Draft {
  return {
    ...draft,
    typed: isMine ? draft.typed : without(draft.typed, pointer),
    collisions: without(draft.collisions, pointer),
  };
}

export function changeOf({ typed }: Draft): SettingsChange {
  const change: Record<string, unknown> = {};
  for (const [pointer, value] of Object.entries(typed)) {
    const names = namesIn(pointer);
    const last = names.pop() ?? "";
    let place = change;
    for (const name of names) {
      const inner = (place[name] ?? {}) as Record<string, unknown>;
      place[name] = inner;
      place = inner;
    }
    place[last] = value;
  }
  return change as SettingsChange;
}

export function changedBetween(schema: MemberSchema, before: unknown, after: unknown): string[] {
  return pointersOf(schema).filter((pointer) => !isSame(valueAt(before, pointer), valueAt(after, pointer)));
}

export function schemaAt(schema: MemberSchema, pointer: string): MemberSchema {
  return namesIn(pointer).reduce<MemberSchema>((inner, name) => inner.properties?.[name] ?? {}, schema);
}

export function valueAt(settings: unknown, pointer: string): unknown {
  return namesIn(pointer).reduce<unknown>(
    (inner, name) => (inner as Record<string, unknown> | null)?.[name],
    settings,
  );
}

export function namesIn(pointer: string): string[] {
  return pointer.slice(1).split("/");
}

export function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** The pointers of all settings below a part of the schema, in its order. */
export function pointersOf(schema: MemberSchema, under = ""): string[] {
  if (schema["x-writer"] !== undefined) return [under];
  return Object.entries(schema.properties ?? {}).flatMap(([name, inner]) =>
    pointersOf(inner, `${under}/${name}`),
  );
}

function without(values: Values, pointer: string): Values {
  const { [pointer]: _, ...rest } = values;
  return rest;
}

/**
 * The phases of a trial. `installing`: nothing has been changed yet, so a crash just ends it. `switching`: `current` is
 * about to be switched to it; `activating`: it is, and the service is informed; `confirming`: it is watched. `undoing`:
 * `current` is about to be switched back; `reactivating`: it is, and the service is informed; `recovering`: the former
 * release is watched, and with any result the trial ends.
 */
export const trialPhases = [
  "installing",
  "switching",
  "activating",
  "confirming",
  "undoing",
  "reactivating",
  "recovering",
] as const;

/** Entries and lists are cut to these bounds, the oldest first. */
export const journalBounds = {
  history: 32,
  setAside: 32,
  agentRolledBack: 32,
  good: 8,
  logLines: 60,
  lineLength: 400,
} as const;

const text = (maxLength: number) => ({ type: "string", maxLength }) as const;
const nullable = <T extends object>(schema: T) => ({ oneOf: [{ type: "null" }, schema] }) as const;
const object = (properties: Readonly<Record<string, object>>) => ({
  type: "object",
  additionalProperties: false,
  required: Object.keys(properties),
  properties,
});
const count = { type: "integer", minimum: 0, maximum: Number.MAX_SAFE_INTEGER } as const;
const seconds = { type: "number", minimum: 0 } as const;
const moment = { type: "string", maxLength: 32, format: "date-time" } as const;
const list = (items: object, maxItems: number) => ({ type: "array", items, maxItems }) as const;
const log = list(text(journalBounds.lineLength), journalBounds.logLines);
const known = { id: { type: "string", pattern: "^[0-9a-f]{32}$" }, name: text(64), version: text(64) };

const cause = object({
  code: text(64),
  count: nullable(count),
  last_answer: nullable(text(1_000)),
});

/** A member that was added later is absent in older journals. */
const withCause = (schema: ReturnType<typeof object>) => ({
  ...schema,
  properties: { ...schema.properties, cause },
});

const trial = object({
  release: object(known),
  phase: { type: "string", enum: trialPhases },
  begun_at: moment,
  begun_uptime: seconds,
  boot_id: text(64),
  boots: count,
  crashes: count,
  deadline_uptime: nullable(seconds),
  health: object({ successes: count, needed: count, last: nullable(text(1_000)), at: nullable(moment) }),
  undo: nullable(
    withCause(
      object({
        outcome: { type: "string", enum: ["failed", "deferred", "aborted", "rolled_back"] },
        reason: text(1_000),
        log,
      }),
    ),
  ),
});

const good = object(known);
const committed = object({ at: moment, boot_id: text(64), uptime: seconds });

const slotOfAll = object({
  good: list({ ...good, properties: { ...good.properties, committed } }, journalBounds.good),
  trial: nullable(trial),
  setAside: list(
    withCause(
      object({
        ...known,
        at: moment,
        why: { type: "string", enum: ["failed", "held", "deferred"] },
        reason: text(1_000),
        until: nullable(moment),
      }),
    ),
    journalBounds.setAside,
  ),
});

const slot = {
  ...slotOfAll,
  properties: { ...slotOfAll.properties, agentRolledBack: list(known.id, journalBounds.agentRolledBack) },
};

/** The journal's form. */
export const releaseJournalSchema = object({
  format: { type: "integer", enum: [1] },
  sequence: count,
  slots: object({ rules: slot, binary: slot }),
  history: list(
    withCause(
      object({
        sequence: count,
        at: moment,
        kind: { enum: [null, "rules", "binary"] },
        release_id: nullable(text(32)),
        name: nullable(text(64)),
        version: nullable(text(64)),
        from_version: nullable(text(64)),
        outcome: {
          type: "string",
          enum: ["good", "failed", "deferred", "aborted", "rolled_back", "refused"],
        },
        detail: text(1_000),
        restored_healthy: { type: ["boolean", "null"] },
        seconds,
        log,
      }),
    ),
    journalBounds.history,
  ),
});

/** The name of its validator in the build. */
export const releaseJournalName = "release-journal";

import { objectOf } from "../store/validation/object-schema.ts";

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
const count = { type: "integer", minimum: 0, maximum: Number.MAX_SAFE_INTEGER } as const;
const seconds = { type: "number", minimum: 0 } as const;
const moment = { type: "string", maxLength: 32, format: "date-time" } as const;
const list = (items: object, maxItems: number) => ({ type: "array", items, maxItems }) as const;
const log = list(text(journalBounds.lineLength), journalBounds.logLines);
const known = { id: { type: "string", pattern: "^[0-9a-f]{32}$" }, name: text(64), version: text(64) };

const cause = objectOf({ code: text(64), count: nullable(count), last_answer: nullable(text(1_000)) });

const trial = objectOf({
  release: objectOf(known),
  phase: { type: "string", enum: trialPhases },
  begun_at: moment,
  begun_uptime: seconds,
  boot_id: text(64),
  boots: count,
  crashes: count,
  deadline_uptime: nullable(seconds),
  health: objectOf({ successes: count, needed: count, last: nullable(text(1_000)), at: nullable(moment) }),
  undo: nullable(
    objectOf(
      {
        outcome: { type: "string", enum: ["failed", "deferred", "aborted", "rolled_back"] },
        reason: text(1_000),
        log,
      },
      { cause },
    ),
  ),
});

const committed = objectOf({ at: moment, boot_id: text(64), uptime: seconds });

const slot = objectOf(
  {
    good: list(objectOf(known, { committed }), journalBounds.good),
    trial: nullable(trial),
    setAside: list(
      objectOf(
        {
          ...known,
          at: moment,
          why: { type: "string", enum: ["failed", "held", "deferred"] },
          reason: text(1_000),
          until: nullable(moment),
        },
        { cause },
      ),
      journalBounds.setAside,
    ),
  },
  { agentRolledBack: list(known.id, journalBounds.agentRolledBack) },
);

export const releaseJournalSchema = objectOf({
  format: { type: "integer", enum: [1] },
  sequence: count,
  slots: objectOf({ rules: slot, binary: slot }),
  history: list(
    objectOf(
      {
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
      },
      { cause },
    ),
    journalBounds.history,
  ),
});

export const releaseJournalName = "release-journal";

import type { ClockInShort } from "../contract/clock/clock-in-short.ts";
import { type ClockWord, clockWordOf } from "../contract/clock/clock-word.ts";
import { needOf } from "../contract/finding.ts";
import type { Finding, Need, ReleaseHold, Status, Updates } from "../contract/types.ts";
import { createNeeds, type NeedsInput } from "./status-needs.ts";

/** The rooms' facts for the status besides those for its needs, as far as the caller may see them. */
export interface StatusInput {
  readonly deviceName: string;
  readonly accent: string;
  readonly version: string;
  readonly timeZone: string;
  readonly host: Status["host"];
  /** Null: the host file names none. */
  readonly product: Status["product"] | null;
  readonly latest: Status["latest"];
  readonly eventReach: Status["event_reach"];
  /** RFC 3339; null: there was none. */
  readonly lastBackupAt: string | null;
}

/** Gives the device at one look; nothing is asked or measured for it. */
export function createStatus(): (ofNeeds: NeedsInput, input: StatusInput) => Status {
  const needsOf = createNeeds();
  return (ofNeeds, { timeZone, deviceName, accent, version, host, product, latest, ...others }) => {
    const { clock, clockWord, updates, people } = ofNeeds;
    const needs = [...needsOf(ofNeeds)];
    return {
      state: stateOf(needs),
      device_name: deviceName,
      accent,
      version,
      server_time: clock.server_time,
      time_zone: timeZone,
      clock: clockInShort(clock, clockWord),
      updates: updatesInShort(updates),
      people: people.figures,
      ...{ host, needs, latest, ...(product && { product }) },
      event_reach: others.eventReach,
      last_backup_at: others.lastBackupAt,
    };
  };
}

/** The status while the state is damaged: there are no accounts, settings or updates to report. */
export function rescueStatus(
  input: Pick<StatusInput, "deviceName" | "version" | "host"> &
    Pick<NeedsInput, "clock"> & { readonly damage: Finding },
): Status {
  const { deviceName, version, clock, host, damage } = input;
  const detail = `The agent is in rescue: ${damage.detail} See \`steward doctor\` and \`man steward-rescue\`.`;
  return {
    state: "rescue",
    device_name: deviceName,
    version,
    server_time: clock.server_time,
    clock: clockInShort(clock, clockWordOf(clock)),
    updates: null,
    people: null,
    host,
    needs: [needOf({ ...damage, detail })],
    latest: null,
    event_reach: null,
    last_backup_at: null,
  };
}

export function stateOf(needs: readonly Need[]): Status["state"] {
  if (needs.length === 0) return "ok";
  return needs.some(({ level }) => level === "failing") ? "failing" : "attention";
}

function clockInShort(clock: ClockInShort, word: ClockWord): Status["clock"] {
  const { state, trust, authenticated, mode, offset_seconds, uncertainty_seconds } = clock;
  const { source, last_sync_at, summary } = clock;
  return {
    ...{ word, state, trust, authenticated, mode, offset_seconds, uncertainty_seconds },
    ...{ source: source?.host ?? null, last_sync_at, summary },
  };
}

function updatesInShort(updates: Updates): Status["updates"] {
  const { state, summary, schedule, installed, available, blockers } = updates;
  const { enabled, last_check, last_success_at, next_check_at } = schedule;
  const kindOf = (kind: "rules" | "binary") => ({
    kind,
    installed: installed[kind],
    available: available[kind]?.version ?? null,
    staged: available[kind]?.staged ?? false,
    blocker: kindBlocker(blockers?.[kind]) ?? available[kind]?.hold ?? null,
  });
  return {
    ...{ state, summary, is_automatic: enabled, kinds: [kindOf("rules"), kindOf("binary")] },
    ...{ last_check, last_success_at, next_check_at },
  };
}

/** The hold of a kind whose metadata the last check could not verify. */
function kindBlocker(blocker: NonNullable<Updates["blockers"]>["rules"] | undefined): ReleaseHold | null {
  if (!blocker) return null;
  const { code, detail } = blocker;
  const reason = { code, detail, count: null, last_answer: null };
  return { code: "not_verifiable", detail, until: null, setting: null, reason };
}

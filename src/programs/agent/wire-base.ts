import { join } from "node:path";
import { createTrustedTime, type TrustedTime } from "../../accounts/trusted-time.ts";
import type { Clock } from "../../clock/loop/clock.ts";
import type { Host } from "../../host/host.ts";
import { agentEvent, type EventSink } from "../../journal/events/event.ts";
import { openEventLog } from "../../journal/events/event-log.ts";
import { createSettings } from "../../system/settings/settings.ts";
import { builtAt } from "../../system/version.ts";
import type { UpdateRoom } from "../../updates/updater.ts";
import { beginState } from "./adoption/begin-state.ts";
import type { RoomsConfig } from "./config.ts";
import { openDocuments } from "./documents.ts";
import { createOwnTrialCheck } from "./installer-client.ts";
import { mechanisms } from "./mechanisms.ts";
import { openState } from "./state.ts";
import { openHostClock } from "./wire-clock.ts";
import { openHostUpdates, settingsGuardOf } from "./wire-updates.ts";

/** Opens the rooms that know of no users, in the order in which each needs those before it. */
export async function openBase(config: RoomsConfig, host: Host) {
  const { stateDirectory, log, readsOnly } = config;
  const recordBeginning = await beginState(config, host);
  const stored = await openDocuments({ ...config, isOnTrial: createOwnTrialCheck(config), time: host.time });
  const { documents, reserve } = stored;
  const plan = { ...config, host, buildDate: builtAt(config.build) };
  const openClock = config.openClock ?? openHostClock;
  const timeSettings = () => documents.settings.read().time;
  const keyExchange = mechanisms.nts.part(config);
  const clock = openClock({ ...plan, keyExchange, record: documents.clock, settings: timeSettings });
  const [readClock, floor] = [() => clock.state(), () => clock.floor()];
  const time = createTrustedTime({ ...host.time, readClock, floor });
  const directory = join(stateDirectory, "events");
  const metering = mechanisms.metrics.part(config, host);
  const events = metering.counting(
    await openEventLog({ ...host.time, directory, log, now: time.now, reserve, readsOnly }),
  );
  await recordBeginning(events);
  const state = await openState(stored, events, log);
  const settings = createSettings(documents.settings);
  const updates = await openHostUpdates({
    ...plan,
    time,
    record: documents.updates,
    events,
    settings: () => settings.read().update,
    unpackPatch: mechanisms.patches.part(config.node, config.assetsDirectory, host.run),
  });
  settings.addGuard(settingsGuardOf(config.update, host.network, updates));
  observeClock(clock, { time, updates, events });
  const settingsChanged = (names: readonly string[]) => {
    if (names.some((name) => name.startsWith("time."))) clock.nudge();
    if (names.some((name) => name.startsWith("update."))) updates.settingsChanged();
  };
  return { host, state, settings, settingsChanged, time, clock, updates, metering };
}

/** Changes of the clock become events; work that has waited for a trusted clock continues. */
function observeClock(
  clock: Clock,
  { time, updates, events }: { time: TrustedTime; updates: UpdateRoom; events: EventSink },
): void {
  clock.onEvent((event) => {
    if (event.type !== "checked") void events.record(agentEvent(event.type, event.details));
    else if (time.isTrusted()) updates.clockTrusted();
  });
}

export type BaseRooms = Awaited<ReturnType<typeof openBase>>;

import { existsSync } from "node:fs";
import { rename } from "node:fs/promises";
import type { SetupToken } from "../../../accounts/sign-in/setup-token.ts";
import { messageOf, StewardError } from "../../../contract/errors.ts";
import type { Configurator, ConfiguratorOptions } from "../../../device/configuration/configuration.ts";
import { appliedPath, transactionPath } from "../../../device/configuration/transaction.ts";
import type { Host } from "../../../host/host.ts";
import { createConfigurationHandlers } from "../../../http/handlers/configuration.ts";
import { agentEvent, type EventFacts, type EventSink } from "../../../journal/events/event.ts";
import { removeLeftovers } from "../../../store/files/durable-file.ts";
import type { SettingsStore } from "../../../system/settings/settings.ts";
import type { Updates } from "../../../updates/updater.ts";
import { once } from "../../once.ts";
import type { RoomsConfig } from "../config.ts";
import type { State } from "../state.ts";
import type { SignInRooms } from "../wire-accounts.ts";
import { installedRootReader } from "../wire-updates.ts";

interface ConfigurationRooms {
  readonly config: RoomsConfig;
  readonly host: Pick<Host, "files" | "time">;
  readonly state: State;
  readonly settings: SettingsStore;
  readonly auth: SignInRooms & { readonly setupToken: SetupToken };
  readonly updates: Pick<Updates, "status">;
  readonly settingsChanged: (names: readonly string[]) => void;
}

export type ConfigurationRoom = Awaited<ReturnType<typeof openConfiguration>>;

/** A configuration that was cut off is finished first, before anyone can see a part of it. Never throws. */
export async function openConfiguration(rooms: ConfigurationRooms) {
  const { stateDirectory, readsOnly } = rooms.config;
  let mayBeApplied = existsSync(appliedPath(stateDirectory));
  const open = once(async () => {
    mayBeApplied = true;
    const { createConfigurator } = await import("../../../device/configuration/configuration.ts");
    return createConfigurator(optionsOf(rooms));
  });
  const room = {
    // Most agents never need the code for it.
    handlers: createConfigurationHandlers(open),
    /** True if the device is no longer what the last configuration said; null: none was applied. */
    drift: async (): Promise<boolean | null> => {
      if (!mayBeApplied) return null;
      return (await open()).isLeft(rooms.updates.status().trust.fingerprint);
    },
  };
  const path = transactionPath(stateDirectory);
  if (readsOnly) return room;
  await removeLeftovers(path).catch(() => undefined);
  if (existsSync(path)) await resume(rooms, open, path);
  return room;
}

async function resume(
  { config, state }: ConfigurationRooms,
  open: () => Promise<Configurator>,
  path: string,
): Promise<void> {
  try {
    const changes = await (await open()).resume();
    if (changes === null) return;
    const details = { changes: changes.length, is_resumed: true };
    config.log("notice", "a configuration that was interrupted is finished", { changes: changes.length });
    await record(state.events, { type: "configuration.applied", subject: null, details });
  } catch (error) {
    const detail = messageOf(error);
    config.log("error", "a configuration that was interrupted cannot be finished: apply it again", {
      detail,
    });
    const isDamaged = error instanceof StewardError && error.code === "state_damaged";
    if (isDamaged) await rename(path, path.replace(/\.json$/, ".bad")).catch(() => undefined);
  }
}

function optionsOf(rooms: ConfigurationRooms): ConfiguratorOptions {
  const { config, state, settings, auth, settingsChanged, host } = rooms;
  const { users, tokens } = state;
  return {
    readInstalledRoot: installedRootReader(config.update, host),
    directory: config.stateDirectory,
    users,
    tokens,
    settings: state.settings,
    time: auth.time,
    timers: host.time.timers,
    seal: auth.seal,
    shutOut: auth.accounts.shutOut,
    settingFaults: settings.faultsOf,
    settingRefusal: settings.refusalOf,
    follow: async ({ endSessions, forget }, changes, before) => {
      for (const id of endSessions) await auth.sessions.endAll(id);
      for (const user of forget) await auth.forget(user);
      const factors = new Map(before.users.accounts.map(({ id, two_factor }) => [id, two_factor]));
      for (const { id, two_factor } of users.read().accounts)
        if (factors.has(id) && factors.get(id) !== two_factor) auth.enrolment.forget(auth.accounts.get(id));
      if (auth.accounts.hasAdministrator()) await auth.setupToken.remove();
      const names = changes
        .filter(({ subject }) => subject === "settings")
        .flatMap(({ members }) => members.map(({ member }) => member));
      if (names.length > 0) settingsChanged(names);
      const { changeEvents } = await import("../../../device/configuration/change-events.ts");
      const after = { users: users.read(), tokens: tokens.read(), settings: state.settings.read() };
      for (const event of changeEvents(before, after, changes)) await record(state.events, event);
    },
  };
}

/** It was root's decision, also if the agent carries it out later. */
function record(
  events: EventSink,
  { type, subject, details }: Pick<EventFacts, "type" | "subject" | "details">,
): Promise<void> {
  const actor = { kind: "local-root", id: null, name: null } as const;
  return events.record({ ...agentEvent(type, details), actor, subject });
}

import { dirname, join } from "node:path";
import type { TrustedTime } from "../../../accounts/trusted-time.ts";
import { checkPassphrase } from "../../../accounts/users/password-rules.ts";
import { lateDocumentNames } from "../../../contract/document-names.ts";
import { updateKinds } from "../../../contract/update-kinds.ts";
import type { Backups } from "../../../device/backup/backups.ts";
import { historyFile } from "../../../figures/history/file-name.ts";
import { createBackupHandlers } from "../../../http/handlers/backup.ts";
import { createUnattended } from "../../../system/unattended.ts";
import { once } from "../../once.ts";
import { sealKeyPlaces } from "../config.ts";
import type { State } from "../state.ts";
import type { HistoryKeeping } from "../status/wire-history.ts";
import type { StatusRooms } from "../status/wire-status.ts";
import { readGuesses } from "../wire-accounts.ts";

interface BackupRooms extends Pick<StatusRooms, "config" | "host" | "settings" | "updates"> {
  readonly state: State;
  readonly time: Pick<TrustedTime, "now">;
}

/** A part of a backup that another mechanism keeps. */
interface BackedUp {
  readonly history: Pick<HistoryKeeping, "bytes">;
}

/** Backups of this device, and the checks of those that systemd makes of it. */
export function openBackup(rooms: BackupRooms, others: BackedUp) {
  const { config, host, state, time } = rooms;
  const { lastBackupAt } = state;
  // The units of this host are those of the agent with the usual state.
  const unattended =
    config.mayAskRoot &&
    createUnattended({ root: "/", stateDirectory: config.stateDirectory, time: host.time, lastBackupAt });
  const load = once(() => loadBackups(rooms, others));
  // A full disk keeps it in memory.
  const arrived = (): void => {
    const last_backup_at = time.now().toISOString();
    state.updates.note((record) => ({ ...record, last_backup_at }), 0);
  };
  return {
    handlers: createBackupHandlers(load, arrived),
    checks: [
      { name: "backup", trouble: () => (unattended ? unattended.backup() : null) },
      { name: "upload", trouble: () => (unattended ? unattended.upload() : null) },
    ],
  };
}

async function loadBackups(rooms: BackupRooms, { history }: BackedUp): Promise<Backups> {
  const { config, host, state } = rooms;
  const [{ createBackups }, { createAge }] = await Promise.all([
    import("../../../device/backup/backups.ts"),
    import("../../../device/backup/age.ts"),
  ]);
  const backups = createBackups(
    {
      stateDirectory: config.stateDirectory,
      // The certificates are beside the host file, wherever that is.
      hostDirectory: dirname(config.https.directory),
      documents: state.openedDocuments,
      lateDocuments: lateDocumentNames,
      events: state.events,
      history: history.bytes,
      historyFile,
      sealKeys: () => host.files.readSealKeys({ ...sealKeyPlaces(config), mayMake: false }),
      facts: () => factsOf(rooms),
    },
    createAge(config.node, join(config.assetsDirectory, "backup.js"), host.startFilter),
  );
  return {
    make: async (key) => {
      if ("passphrase" in key) checkPassphrase(key.passphrase, await readGuesses(rooms));
      return backups.make(key);
    },
  };
}

async function factsOf({ config, host, settings, updates, time }: BackupRooms) {
  const { installed } = updates.status();
  const releases = updateKinds.flatMap((kind) => {
    const version = installed[kind];
    return version === null ? [] : [{ kind, version }];
  });
  return {
    made_at: time.now().toISOString(),
    steward: config.build.version,
    product: config.product.name,
    device: {
      id: host.identity.deviceId,
      name: settings.read().device.name,
      host_name: host.identity.hostname,
      time_zone: await host.names.timeZone(),
    },
    releases,
  };
}

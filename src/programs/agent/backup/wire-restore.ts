import { dirname, join } from "node:path";
import type { Accounts } from "../../../accounts/users/accounts.ts";
import { messageOf } from "../../../contract/errors.ts";
import type { RestorePlan, Restorer } from "../../../device/backup/restore.ts";
import type { Host } from "../../../host/host.ts";
import type { Authorise } from "../../../http/call.ts";
import { createRestoreHandlers } from "../../../http/handlers/backup.ts";
import type { Machine, MachineChange } from "../../../system/machine.ts";
import { once } from "../../once.ts";
import type { RoomsConfig } from "../config.ts";

interface RestoreRooms {
  readonly config: RoomsConfig;
  readonly host: Host;
  readonly accounts: Pick<Accounts, "all">;
  readonly machine: Pick<Machine, "change" | "refuseOnTrial">;
  readonly startAgain: () => void;
}

export function openRestore(rooms: RestoreRooms, authorise: Authorise) {
  return {
    handlers: createRestoreHandlers(
      once(() => loadRestorer(rooms)),
      authorise,
    ),
  };
}

async function loadRestorer(rooms: RestoreRooms): Promise<Restorer> {
  const { config, host, accounts, machine, startAgain } = rooms;
  const [{ createRestorer }, { createAge }, { adoptRestored }] = await Promise.all([
    import("../../../device/backup/restore.ts"),
    import("../../../device/backup/age.ts"),
    import("../adoption/restored-state.ts"),
  ]);
  return createRestorer({
    directory: config.stateDirectory,
    // The certificates are beside the host file, wherever that is.
    hostDirectory: dirname(config.https.directory),
    age: createAge(config.node, join(config.assetsDirectory, "backup.js"), host.startFilter),
    freeSpace: host.files.freeSpace,
    timers: host.time.timers,
    version: config.build.version,
    product: config.product.name,
    presentUsers: () => accounts.all().length,
    refuseOnTrial: machine.refuseOnTrial,
    adopt: (stateDirectory, manifest, asReplacement) =>
      adoptRestored({ ...config, stateDirectory }, host, manifest, asReplacement),
    takeNames: (device) => takeNames(machine, device),
    startAgain,
  });
}

/** Each in its own request: a machine that refuses one of them may take the other. All else is restored by then. */
async function takeNames(
  machine: Pick<Machine, "change">,
  { host_name, time_zone }: RestorePlan["device"],
): Promise<string[]> {
  const refusals: string[] = [];
  const take = (what: string, name: string, change: MachineChange) =>
    machine.change(change).catch((error: unknown) => {
      const why = messageOf(error).replace(" Nothing was changed.", "");
      const later = `Set it with \`steward system ${what.replace(" ", "-")} NAME\``;
      refusals.push(
        `The ${what} of the backup, "${name}", is not this device's; all else is restored. ${why} ${later}.`,
      );
    });
  await take("host name", host_name, { host_name });
  await take("time zone", time_zone, { time_zone });
  return refusals;
}

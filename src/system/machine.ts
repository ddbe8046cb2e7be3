import { StewardError } from "../contract/errors.ts";
import type { HostSettings, Input, Updates } from "../contract/types.ts";
import type { HostNames } from "../host/host.ts";
import type { HostIdentity, RootHelper } from "../host/ports.ts";
import { type SupportClock, supportOf } from "./support.ts";

/** The machine: its name, its time zone, its power. */
export type Machine = ReturnType<typeof createMachine>;

export type MachineChange = Input<"changeHost">["body"];

/** The changed members, with their former values. */
type MachineChanges = Partial<
  Record<"host_name" | "host_name_before" | "time_zone" | "time_zone_before", string>
>;

export interface MachineOptions {
  readonly identity: HostIdentity;
  readonly names: HostNames;
  readonly helper: RootHelper;
  readonly updates: () => Pick<Updates, "trial">;
  readonly requestReset: () => Promise<void>;
  /** The date in the host file. */
  readonly supportUntil: string | null;
  readonly time: SupportClock;
  /** Called after a change, because update windows are in local time. */
  readonly zoneChanged: () => void;
}

const endTrial = "Wait, or end it with `steward update confirm` or `steward update abort`.";

export function createMachine(options: MachineOptions) {
  const { identity, names, helper, supportUntil, time } = options;
  return {
    settings: async (): Promise<HostSettings> => ({
      host_name: identity.hostname,
      time_zone: await names.timeZone(),
      support_until: supportUntil,
      support: supportOf(supportUntil, time),
    }),
    /**
     * Changes the given members, and returns those that differ with their former values. Throws `validation_failed` for a
     * zone that this host does not have, `host_right_missing`, and the errors of the helper.
     */
    change: async (change: MachineChange): Promise<MachineChanges> => {
      requireZone(names, change.time_zone);
      return { ...(await renamed(options, change)), ...(await moved(options, change)) };
    },
    /** Asks the machine to go down. Throws `update_busy` while a release is on trial, unless `force`. */
    goDown: async (verb: "reboot" | "power-off", force: boolean): Promise<{ boot_id: string }> => {
      const how = verb === "reboot" ? "restart" : "shut down";
      if (!force) refuseOnTrial(options.updates(), `It would be undone. Wait, or ${how} now with \`force\`.`);
      await asked(helper.ask({ word: verb }), verb === "reboot" ? "restart it" : "switch it off");
      return { boot_id: identity.bootId };
    },
    /** Has root switch HTTPS on the LAN on. Throws `host_right_missing`, and the errors of the helper. */
    enableHttps: (): Promise<void> => asked(helper.ask({ word: "enable-https" }), "switch HTTPS on"),
    /** Records a factory reset, so it happens. Throws `update_busy` during a trial, `storage_full`, `storage_unwritable`. */
    reset: async (): Promise<void> => {
      refuseOnTrial(options.updates(), endTrial);
      await options.requestReset();
    },
    /** Throws `update_busy` while a release is on trial: the backup would be of another one than the device then has. */
    refuseOnTrial: (): void => refuseOnTrial(options.updates(), endTrial),
  };
}

async function renamed(
  { identity, names, helper }: MachineOptions,
  { host_name: name }: MachineChange,
): Promise<MachineChanges> {
  const before = identity.hostname;
  if (name === undefined || name === before) return {};
  await asked(helper.ask({ word: "host-name", name }), "change its name");
  names.adoptHostName(name);
  return { host_name: name, host_name_before: before };
}

async function moved(
  { names, helper, zoneChanged }: MachineOptions,
  { time_zone: name }: MachineChange,
): Promise<MachineChanges> {
  const before = await names.timeZone();
  if (name === undefined || name === before) return {};
  await asked(helper.ask({ word: "time-zone", zone: name }), "change its time zone");
  names.adoptTimeZone(name);
  zoneChanged();
  return { time_zone: name, time_zone_before: before };
}

/** The helper's `forbidden` and `not_found` are about the host, not about the caller or the address. */
async function asked(order: Promise<void>, what: string): Promise<void> {
  try {
    await order;
  } catch (cause) {
    if (!(cause instanceof StewardError) || !["forbidden", "not_found"].includes(cause.code)) throw cause;
    const text = `This host gives the agent no right to ${what}. ${cause.message} Nothing was changed.`;
    throw new StewardError("host_right_missing", text, { cause });
  }
}

/** Checked before any change: both members are changed, or neither. */
function requireZone(names: HostNames, name: string | undefined): void {
  const detail = name === undefined ? null : names.timeZoneFault(name);
  if (detail === null) return;
  throw new StewardError("validation_failed", `Member /time_zone ${detail}. Nothing was changed.`, {
    details: { errors: [{ pointer: "/time_zone", code: "unknown_time_zone", detail }] },
  });
}

function refuseOnTrial({ trial }: Pick<Updates, "trial">, advice: string): void {
  if (trial === null) return;
  const what = trial.kind === "rules" ? `the rules ${trial.version}` : `${trial.name} ${trial.version}`;
  throw new StewardError("update_busy", `An update is on trial: ${what}. ${advice} Nothing was changed.`);
}

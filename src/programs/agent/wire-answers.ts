import type { TrustedTime } from "../../auth/trusted-time.ts";
import type { Clock } from "../../clock/loop/clock.ts";
import type { ConsoleGreeting, Settings, Trouble, Version } from "../../contract/types.ts";
import type { Host } from "../../host/host.ts";
import type { HealthCheck } from "../../system/health.ts";
import { createSelfCheck, type SelfCheck } from "../../system/self-check.ts";
import { fullVersion, publicVersion } from "../../system/version.ts";
import type { Updates } from "../../updates/updates.ts";
import type { RoomsConfig } from "./config.ts";
import type { State } from "./state.ts";

/** What the agent says of itself to whoever asks; more to those who are known. */
export function versionOf(
  { build, nodeVersion: node }: RoomsConfig,
  { host, updates }: { host: Host; updates: Updates },
): (isDetailed: boolean) => Version {
  return (isDetailed) => {
    if (!isDetailed) return publicVersion(build);
    return fullVersion({
      build,
      node,
      host: host.identity,
      uptime: host.uptime,
      rules: updates.status().installed.rules,
    });
  };
}

export interface GreetingGround {
  readonly config: RoomsConfig;
  readonly host: Host;
  readonly settings: Pick<Settings, "device" | "console">;
  readonly clock: ReturnType<TrustedTime["describe"]>;
  readonly isSetUp: boolean;
  readonly isInRescue: boolean;
}

/** What the console shows to a stranger. */
export function greetingOf({
  config,
  host,
  settings: { device, console },
  clock: { server_time, synchronised },
  isSetUp,
  isInRescue,
}: GreetingGround): ConsoleGreeting {
  return {
    device_name: device.name || host.identity.hostname,
    banner: console.banner,
    language: console.language,
    version: publicVersion(config.build).version,
    setup_required: !isSetUp,
    rescue: isInRescue,
    server_time,
    synchronised,
  };
}

/** Whether the program's own parts work. */
export function openSelfCheck({ selfCheck, log }: RoomsConfig, { run, timers, uptime }: Host): SelfCheck {
  const onFailure = (detail: string) => log("error", "a part of the program does not work", { detail });
  return createSelfCheck({
    ...selfCheck,
    ...{ run, timers, uptime, onFailure },
  });
}

/** All that can go wrong, in the order in which health tells of it. */
export function checksOf({
  state,
  auth,
  clock,
  updates,
  selfCheck,
}: {
  readonly state: State;
  readonly auth: { readonly checks: readonly HealthCheck[] };
  readonly clock: Pick<Clock, "trouble">;
  readonly updates: Updates;
  readonly selfCheck: SelfCheck;
}): readonly HealthCheck[] {
  return [
    ...state.checks,
    ...auth.checks,
    // `clock` is the document of its state.
    { name: "time", code: "clock", trouble: () => clock.trouble() },
    updatesCheck(state, updates),
    { name: "program", code: "program", isFailure: true, trouble: () => selfCheck.trouble() },
  ];
}

/** One check for the document, for what the settings do not allow, and for what goes on. */
function updatesCheck(state: State, updates: Updates): HealthCheck {
  return {
    name: "updates",
    code: "updates",
    trouble: () => state.updatesTrouble() ?? updatesTrouble(updates.trouble()),
  };
}

function updatesTrouble(detail: string | null): Trouble | null {
  return detail === null ? null : { code: "updates_degraded", facts: {}, detail };
}

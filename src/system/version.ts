import type { Version } from "../contract/types.ts";
import type { HostIdentity, Uptime } from "../host/ports.ts";

/** What the build stamped into this program. */
export interface Build {
  version: string;
  /** Full commit id; null when it was not built from a checkout. */
  commit: string | null;
  /** RFC 3339, of the commit. */
  date: string | null;
}

export const apiVersion = "1";

/** Before this there was no such program: for one that was built outside a checkout and has no date. */
const earliestBuild = "2026-11-01T00:00:00.000Z";

/** When this program was built, or at the latest a time before that. */
export function builtAt(build: Build): Date {
  return new Date(build.date ?? earliestBuild);
}

/** What strangers may know. */
export function publicVersion(build: Build): Version {
  return { name: "steward", version: build.version, api_version: apiVersion };
}

/** The sources of a full version. */
export interface VersionFacts {
  readonly build: Build;
  readonly node: string;
  readonly host: HostIdentity;
  readonly uptime: Uptime;
  /** Of the rules in force; null: none are installed, or it is not known. */
  readonly rules: string | null;
  /** As the host file says it. */
  readonly supportUntil: string | null;
}

/** What signed-in users may know in addition. */
export function fullVersion({ build, node, host, uptime, rules, supportUntil }: VersionFacts): Version {
  return {
    ...publicVersion(build),
    commit: build.commit,
    build_date: build.date,
    node,
    os: host.os,
    kernel: host.kernel,
    arch: host.arch,
    device_id: host.deviceId,
    boot_id: host.bootId,
    uptime_seconds: uptime(),
    rules_version: rules,
    support_until: supportUntil,
  };
}

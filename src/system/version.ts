import type { Version } from "../contract/types.ts";
import type { HostIdentity, Uptime } from "../host/ports.ts";

/** The facts that the build stamped into this program. */
export interface Build {
  version: string;
  /** Full commit id; null if it was not built from a checkout. */
  commit: string | null;
  /** The time of the commit, RFC 3339. */
  date: string | null;
}

export const apiVersion = "1";

/** For a program that was built outside a checkout and has no date: no release is older. */
const earliestBuild = "2026-11-01T00:00:00.000Z";

/** The build time of this program, or a time before it. */
export function builtAt(build: Build): Date {
  return new Date(build.date ?? earliestBuild);
}

/** The part of the version that strangers may know. */
export function publicVersion(build: Build): Version {
  return { name: "steward", version: build.version, api_version: apiVersion };
}

interface VersionFacts {
  readonly build: Build;
  readonly node: string;
  readonly host: HostIdentity;
  readonly uptime: Uptime;
  /** The version of the rules in force; null: none are installed, or it is not known. */
  readonly rules: string | null;
  /** Null: the host file names none. */
  readonly product: Version["product"] | null;
  /** The date in the host file. */
  readonly supportUntil: string | null;
}

export function fullVersion({
  build,
  node,
  host,
  uptime,
  rules,
  product,
  supportUntil,
}: VersionFacts): Version {
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
    ...(product && { product }),
    rules_version: rules,
    support_until: supportUntil,
  };
}

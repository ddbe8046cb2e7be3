import { readFile, realpath, stat } from "node:fs/promises";
import { isIP } from "node:net";
import { dirname } from "node:path";
import { unitName } from "../../contract/logs.ts";
import { StewardError, systemErrorCode } from "../../errors.ts";

/** What root alone decides about this device; the API never writes it. */
export interface HostFile {
  /** Names that this device answers to, besides its host name, its addresses and localhost. */
  names: readonly string[];
  /** Addresses and CIDR ranges of the proxies whose X-Forwarded-For and X-Forwarded-Proto are believed. */
  trustedProxies: readonly string[];
  /** Units besides the agent's own whose log may be read through the agent. */
  logUnits: readonly string[];
}

/** Bits of a mode that let group or others write. */
const writableByOthers = 0o022;

/**
 * Reads /etc/steward/steward.json; an absent file says nothing. Throws `validation_failed` when it does not make sense,
 * or when anybody but root could have written it: the file itself, or a directory on the way to it.
 */
export async function readHostFile(path: string): Promise<HostFile> {
  try {
    const real = await realpath(path);
    await refuseForeign(real);
    return checked(path, await readFile(real, "utf8"));
  } catch (error) {
    if (systemErrorCode(error) === "ENOENT") return { names: [], trustedProxies: [], logUnits: [] };
    throw error;
  }
}

async function refuseForeign(path: string): Promise<void> {
  const { uid, mode } = await stat(path);
  if (uid !== 0 || (mode & writableByOthers) !== 0) {
    throw refusal(
      path,
      `must belong to root and be writable by nobody else, for what stands in it is done as root. As root: chown root ${path}; chmod go-w ${path}`,
    );
  }
  if (path !== "/") await refuseForeign(dirname(path));
}

function checked(path: string, text: string): HostFile {
  const parsed = parse(path, text);
  const { names = [], trusted_proxies = [], log_units = [], ...others } = parsed;
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) throw refusal(path, `has a member "${unknown}" that is not known here`);
  if (!Array.isArray(names)) throw refusal(path, "names must be a list of host names");
  for (const name of names) {
    if (typeof name === "string" && hostName.test(name)) continue;
    throw refusal(path, `names holds ${JSON.stringify(name)}, which is no host name`);
  }
  return {
    names,
    trustedProxies: checkedProxies(path, trusted_proxies),
    logUnits: checkedUnits(path, log_units),
  };
}

/** Bits of the widest range that may be trusted: fc00::/7, all of private IPv6. Half an internet is no proxy. */
const shortestPrefix = 7;

/** Whoever is trusted here chooses the address that he is counted and written down by. */
function checkedProxies(path: string, list: unknown): string[] {
  if (!Array.isArray(list))
    throw refusal(path, "trusted_proxies must be a list of addresses and CIDR ranges");
  for (const entry of list) {
    const [, address = "", prefix] =
      typeof entry === "string" ? (/^([0-9a-fA-F:.]+)(?:\/(\d{1,3}))?$/.exec(entry) ?? []) : [];
    const bits = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1;
    const shown = JSON.stringify(entry);
    const isMapped = /^[0:]*:ffff:/i.test(address);
    if (Number(prefix ?? bits) > bits || bits < 0 || isMapped) {
      throw refusal(
        path,
        `trusted_proxies holds ${shown}, which is no address and no range such as 10.1.0.0/16 or fd00:1::/64`,
      );
    }
    if (Number(prefix ?? bits) < shortestPrefix) {
      throw refusal(
        path,
        `trusted_proxies holds ${shown}, so large a part of the internet that anybody could claim any address; name the proxies`,
      );
    }
  }
  return list;
}

function checkedUnits(path: string, units: unknown): string[] {
  if (!Array.isArray(units)) throw refusal(path, "log_units must be a list of systemd units");
  return units.map((unit: unknown) => {
    if (typeof unit === "string" && unitNamePattern.test(unit)) return unit;
    throw refusal(path, `log_units holds ${JSON.stringify(unit)}, which is no unit such as nginx.service`);
  });
}

const unitNamePattern = new RegExp(unitName.pattern);

/** RFC 1123 §2.1, in ASCII: what a Host header can hold without its port. */
const hostName =
  /^(?=.{1,253}$)[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?(\.[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?)*$/;

function parse(path: string, text: string): Record<string, unknown> {
  try {
    const parsed: unknown = JSON.parse(text);
    if (typeof parsed === "object" && parsed !== null && !Array.isArray(parsed)) return { ...parsed };
  } catch (cause) {
    throw refusal(path, "is not JSON", cause);
  }
  throw refusal(path, "must be a JSON object");
}

function refusal(path: string, what: string, cause?: unknown): StewardError {
  return new StewardError("validation_failed", `The host file cannot be used: ${path} ${what}.`, { cause });
}

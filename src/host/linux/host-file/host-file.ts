import { isIP } from "node:net";
import { dirname } from "node:path";
import { StewardError, systemErrorCode } from "../../../contract/errors.ts";
import { unitName } from "../../../contract/schemas/logs.ts";
import type { TrustedOwners } from "../../host.ts";
import type { SignInProvider } from "../../provider-ports.ts";
import { plansOf, type Refuse } from "./host-file-apply.ts";
import { checkedHttps, type HttpsDecisions, plainHttps } from "./host-file-https.ts";
import { checkedOidc } from "./host-file-oidc.ts";
import { checkedUpdate, checkPrograms, readAuthorities, type UpdateDecisions } from "./host-file-update.ts";
import { readTrustedFile } from "./trusted-file.ts";

/** What root alone decides about this device; the API never writes it. */
export interface HostFile {
  /** Names that this device answers to, besides its host name, its addresses and localhost. */
  names: readonly string[];
  /** Addresses and CIDR ranges of the proxies whose X-Forwarded-For and X-Forwarded-Proto are trusted. */
  trustedProxies: readonly string[];
  /** HTTPS on the LAN. */
  https: HttpsDecisions;
  /** Units besides the agent's own whose log may be read through the agent. */
  logUnits: readonly string[];
  /** The product that this device runs, as releases name it. */
  product: string;
  /** `steward.rescue=1` on the kernel's command line prints a setup token on the first terminal. */
  kernelRescue: boolean;
  /** The last day of the maker's support (YYYY-MM-DD); null: it says none. */
  supportUntil: string | null;
  /** Where users can sign in besides; null: nowhere. */
  oidc: SignInProvider | null;
  update: UpdateDecisions;
}

/** The decisions without a host file, or with an empty one. */
export const plainHostFile: HostFile = {
  names: [],
  trustedProxies: [],
  https: plainHttps,
  logUnits: [],
  product: "steward",
  kernelRescue: true,
  supportUntil: null,
  oidc: null,
  update: {
    caFile: null,
    proxy: null,
    allowLocalServers: false,
    redirectOrigins: [],
    channels: null,
    apply: plansOf("steward", { rules: null, binary: null }),
  },
};

/** Far more than a host file needs: it has a few kilobytes at most. */
const maximumBytes = 256 * 1024;

/**
 * Reads /etc/steward/steward.json; an absent file counts as an empty one. Throws `validation_failed` if it is not valid,
 * or if another user than root could have written it or the certificates or programs that it names: the file itself, or
 * a directory on the way to it.
 */
export async function readHostFile(path: string, owners: TrustedOwners = {}): Promise<HostFile> {
  const bytes = await readTrustedFile(path, { ...owners, maximumBytes }, refusal).catch((error: unknown) => {
    throw systemErrorCode(error) === "EACCES" ? refusal(path, closed(path), error) : error;
  });
  if (bytes === null) return plainHostFile;
  const host = checked(path, Buffer.from(bytes).toString("utf8"));
  // Now, and not days later at the first check of the update server.
  await readAuthorities(host.update, owners);
  if (host.oidc) await readAuthorities(host.oidc, owners, "oidc.ca_file");
  await checkPrograms(host.update, owners);
  return host;
}

function closed(path: string): string {
  return `cannot be read by the user of the agent. As root: chmod a+rx ${dirname(path)}; chmod a+r ${path}`;
}

function checked(path: string, text: string): HostFile {
  const refuse = (what: string, cause?: unknown) => refusal(path, what, cause);
  const parsed = parse(text, refuse);
  const { names, trusted_proxies, https, log_units, product, support_until, kernel_rescue, ...more } = parsed;
  const { oidc, update, ...others } = more;
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) throw refuse(`has a member "${unknown}" that is not known`);
  const decisions = checkedUpdate(update, refuse);
  const runs = checkedProduct(product, refuse);
  return {
    names: checkedNames(names, refuse),
    trustedProxies: checkedProxies(trusted_proxies, refuse),
    https: checkedHttps(https, refuse),
    logUnits: checkedUnits(log_units, refuse),
    product: runs,
    kernelRescue: checkedFlag("kernel_rescue", kernel_rescue, plainHostFile.kernelRescue, refuse),
    supportUntil: support_until === undefined ? null : checkedDate(support_until, refuse),
    oidc: checkedOidc(oidc, refuse),
    update: { ...decisions, apply: plansOf(runs, decisions.apply) },
  };
}

function checkedNames(names: unknown = [], refuse: Refuse): string[] {
  if (!Array.isArray(names)) throw refuse("names must be a list of host names");
  return names.map((name: unknown) => {
    if (typeof name === "string" && hostName.test(name)) return name;
    throw refuse(`names holds ${JSON.stringify(name)}: it must be a host name`);
  });
}

/** As in the path of a release. */
const productName = /^[a-z0-9][a-z0-9._-]{0,63}$/;

function checkedProduct(product: unknown = plainHostFile.product, refuse: Refuse): string {
  if (typeof product === "string" && productName.test(product)) return product;
  throw refuse(
    `has ${JSON.stringify(product)} as product: a name has up to 64 lower-case letters, digits and ._-`,
  );
}

function checkedFlag(name: string, value: unknown, usual: boolean, refuse: Refuse): boolean {
  if (value === undefined) return usual;
  if (typeof value === "boolean") return value;
  throw refuse(`has ${JSON.stringify(value)} as ${name}: it must be true or false`);
}

function checkedDate(date: unknown, refuse: Refuse): string {
  const isDay = typeof date === "string" && /^\d{4}-\d\d-\d\d$/.test(date);
  // Not every text of this form is a day: 2031-02-30 is not.
  if (isDay && new Date(`${date}T00:00:00Z`).toJSON()?.startsWith(date)) return date;
  throw refuse(`has ${JSON.stringify(date)} as support_until: it must be a day such as 2031-12-31`);
}

/** Bits of the widest range that may be trusted: fc00::/7, all of private IPv6. */
const shortestPrefix = 7;

/** A trusted proxy chooses the client address under which failures are counted and requests are logged. */
function checkedProxies(list: unknown = [], refuse: Refuse): string[] {
  if (!Array.isArray(list)) throw refuse("trusted_proxies must be a list of addresses and CIDR ranges");
  for (const entry of list) {
    const [, address = "", prefix] =
      typeof entry === "string" ? (/^([0-9a-fA-F:.]+)(?:\/(\d{1,3}))?$/.exec(entry) ?? []) : [];
    const bits = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1;
    const shown = JSON.stringify(entry);
    const isMapped = /^[0:]*:ffff:/i.test(address);
    if (Number(prefix ?? bits) > bits || bits < 0 || isMapped) {
      throw refuse(
        `trusted_proxies holds ${shown}, which is neither an address nor a range such as 10.1.0.0/16 or fd00:1::/64`,
      );
    }
    if (Number(prefix ?? bits) < shortestPrefix) {
      throw refuse(
        `trusted_proxies holds ${shown}: the range is so large that strangers could claim any address. Name the proxies`,
      );
    }
  }
  return list;
}

function checkedUnits(units: unknown = [], refuse: Refuse): string[] {
  if (!Array.isArray(units)) throw refuse("log_units must be a list of systemd units");
  return units.map((unit: unknown) => {
    if (typeof unit === "string" && unitNamePattern.test(unit)) return unit;
    throw refuse(
      `log_units holds ${JSON.stringify(unit)}, which is not the name of a unit such as nginx.service`,
    );
  });
}

const unitNamePattern = new RegExp(unitName.pattern);

/** RFC 1123 §2.1, in ASCII: what a Host header can hold without its port. */
const hostName =
  /^(?=.{1,253}$)[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?(\.[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?)*$/;

function parse(text: string, refuse: Refuse): Record<string, unknown> {
  try {
    const parsed: unknown = JSON.parse(text);
    if (typeof parsed === "object" && parsed !== null && !Array.isArray(parsed)) return { ...parsed };
  } catch (cause) {
    throw refuse("is not JSON", cause);
  }
  throw refuse("must be a JSON object");
}

function refusal(path: string, what: string, cause?: unknown): StewardError {
  return new StewardError("validation_failed", `The host file cannot be used: ${path} ${what}.`, { cause });
}

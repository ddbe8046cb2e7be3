import { X509Certificate } from "node:crypto";
import { isAbsolute } from "node:path";
import { StewardError } from "../../../contract/errors.ts";
import { settings } from "../../../contract/schemas/settings.ts";
import type { TrustedOwners } from "../../host.ts";
import { type ApplyPlans, checkedPlans, hostPrograms, type Refuse } from "./host-file-apply.ts";
import { readTrustedFile } from "./trusted-file.ts";
import { refuseForeignProgram } from "./trusted-program.ts";

/** What root decides about updates. */
export interface UpdateDecisions {
  /** Absolute path of a PEM file with authorities that are trusted besides the public ones. */
  caFile: string | null;
  /** `http://host:port` of the proxy for connections to the update server. */
  proxy: string | null;
  /** Loopback and link-local addresses may be update servers. */
  allowLocalServers: boolean;
  /** Origins besides the server's own that it may redirect to. */
  redirectOrigins: readonly string[];
  /** Channels that releases may come from; null: the one that the settings name. */
  channels: readonly string[] | null;
  /** How releases are activated; null: releases of this kind are not applied here. */
  apply: ApplyPlans;
}

/** The member `update` of the host file. Throws what `refuse` makes. */
export function checkedUpdate(update: unknown = {}, refuse: Refuse): UpdateDecisions {
  if (typeof update !== "object" || update === null || Array.isArray(update)) {
    throw refuse("has an update that is not an object");
  }
  const members: Record<string, unknown> = { ...update };
  const { ca_file, proxy, allow_local_servers = false, redirect_origins = [], ...more } = members;
  const { channels, rules, binary, ...others } = more;
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) throw refuse(`has a member "update.${unknown}" that is not known`);
  if (typeof allow_local_servers !== "boolean")
    throw refuse("update.allow_local_servers must be true or false");
  if (!Array.isArray(redirect_origins)) throw refuse("update.redirect_origins must be a list of origins");
  return {
    caFile: ca_file === undefined ? null : checkedPath(ca_file, refuse),
    proxy: proxy === undefined ? null : checkedProxy(proxy, refuse),
    allowLocalServers: allow_local_servers,
    redirectOrigins: redirect_origins.map((origin: unknown) => checkedOrigin(origin, refuse)),
    channels: channels === undefined ? null : checkedChannels(channels, refuse),
    apply: checkedPlans({ rules, binary }, refuse),
  };
}

/**
 * Checks the programs that the plans run as root. Throws `validation_failed` for one that does not exist, or that another
 * user than root could have written.
 */
export async function checkPrograms(
  { apply }: Pick<UpdateDecisions, "apply">,
  owners: TrustedOwners = {},
): Promise<void> {
  for (const program of hostPrograms(apply)) {
    await refuseForeignProgram(program, { ...owners, refuse: refusalOf("A program of the host file") });
  }
}

/** Twenty times the size of a bundle of all public authorities. */
const maximumBytes = 4 * 1024 * 1024;

/**
 * The certificates of `caFile`, as PEM; null if the host file names none. Throws `validation_failed` if it holds none, or
 * if another user than root could have written it: control over the authorities is control over the server.
 */
export async function readAuthorities(
  { caFile }: Pick<UpdateDecisions, "caFile">,
  owners: TrustedOwners = {},
  member = "update.ca_file",
): Promise<string | null> {
  const refusal = refusalOf(`The ${member} of the host file`);
  if (caFile === null) return null;
  const bytes = await readTrustedFile(caFile, { ...owners, maximumBytes }, refusal);
  if (bytes === null) throw refusal(caFile, "does not exist");
  const text = Buffer.from(bytes).toString("latin1");
  const certificates = text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  if (certificates.length === 0) throw refusal(caFile, "does not hold a certificate in PEM");
  for (const [index, certificate] of certificates.entries()) {
    if (!isCertificate(certificate))
      throw refusal(caFile, `cannot be read: its certificate ${index + 1} is not valid`);
  }
  return certificates.join("\n");
}

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).serialNumber !== "";
  } catch {
    return false;
  }
}

/** As in the settings. */
const channelName = new RegExp(settings.properties.update.properties.ota.properties.channel.pattern);

function checkedChannels(channels: unknown, refuse: Refuse): string[] {
  if (!Array.isArray(channels) || channels.length === 0)
    throw refuse(
      "update.channels must be a list of at least one channel; leave it out to allow every channel",
    );
  return channels.map((channel: unknown) => {
    if (typeof channel === "string" && channelName.test(channel)) return channel;
    throw refuse(`update.channels holds ${JSON.stringify(channel)}: it must be a channel such as stable`);
  });
}

function checkedPath(path: unknown, refuse: Refuse): string {
  if (typeof path === "string" && isAbsolute(path) && !path.includes("\0")) return path;
  throw refuse(`has ${JSON.stringify(path)} as update.ca_file: it must be an absolute path`);
}

/** Without a password: every user of the device can read the host file. */
function checkedProxy(proxy: unknown, refuse: Refuse): string {
  const url = typeof proxy === "string" && URL.canParse(proxy) ? new URL(proxy) : undefined;
  const isPlain = url?.protocol === "http:" && url.username === "" && url.password === "";
  if (url && isPlain && url.pathname === "/" && url.search === "" && url.hash === "") return url.origin;
  throw refuse(
    `has ${JSON.stringify(proxy)} as update.proxy: it must be an address such as http://proxy.example.net:3128`,
  );
}

function checkedOrigin(origin: unknown, refuse: Refuse): string {
  const url = typeof origin === "string" && URL.canParse(origin) ? new URL(origin) : undefined;
  const isWeb = url?.protocol === "https:" || url?.protocol === "http:";
  if (isWeb && (origin === url.origin || origin === `${url.origin}/`)) return url.origin;
  throw refuse(
    `has ${JSON.stringify(origin)} in update.redirect_origins: it must be an origin such as https://cdn.example.net`,
  );
}

function refusalOf(what: string): (path: string, why: string) => StewardError {
  return (path, why) => new StewardError("validation_failed", `${what} cannot be used: ${path} ${why}.`);
}

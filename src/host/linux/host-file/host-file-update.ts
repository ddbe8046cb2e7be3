import { X509Certificate } from "node:crypto";
import { isAbsolute } from "node:path";
import { StewardError } from "../../../contract/errors.ts";
import { settings } from "../../../contract/schemas/settings.ts";
import type { TrustedOwners } from "../../host.ts";
import { type ApplyPlans, checkedPlans, hostPrograms, type Refuse } from "./host-file-apply.ts";
import { readTrustedFile } from "./trusted-file.ts";
import { refuseForeignProgram } from "./trusted-program.ts";

/** What root decides about the ways that updates come on. */
export interface UpdateDecisions {
  /** PEM of authorities that servers are checked with besides the public ones; an absolute path. */
  caFile: string | null;
  /** `http://host:port` of a proxy that connections go through. */
  proxy: string | null;
  /** Loopback and link-local addresses may be asked. */
  allowLocalServers: boolean;
  /** Other origins than the server's that it may redirect to. */
  redirectOrigins: readonly string[];
  /** Channels that releases may be of; null: any that the settings name. */
  channels: readonly string[] | null;
  /** How releases are put to work; null: those of this kind are not applied here. */
  apply: ApplyPlans;
}

/** The member `update` of the host file. Throws what `refuse` makes. */
export function checkedUpdate(update: unknown = {}, refuse: Refuse): UpdateDecisions {
  if (typeof update !== "object" || update === null || Array.isArray(update)) {
    throw refuse("has an `update` that is no object");
  }
  const members: Record<string, unknown> = { ...update };
  const { ca_file, proxy, allow_local_servers = false, redirect_origins = [], ...more } = members;
  const { channels, rules, binary, ...others } = more;
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) throw refuse(`has a member "update.${unknown}" that is not known here`);
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
 * Looks at the programs that releases are put to work by. Throws `validation_failed` for one that is not there, or that
 * anybody but root could have written: it is run as root.
 */
export async function judgePrograms(
  { apply }: Pick<UpdateDecisions, "apply">,
  owners: TrustedOwners = {},
): Promise<void> {
  for (const program of hostPrograms(apply)) {
    await refuseForeignProgram(program, { ...owners, refuse: refusalOf("A program of the host file") });
  }
}

/** A bundle of all the public authorities has a twentieth of that. */
const maximumBytes = 4 * 1024 * 1024;

/**
 * The certificates of `caFile`, as PEM; null where the host file names none. Throws `validation_failed` when there are
 * none in it, or when anybody but root could have written it: who chooses the authorities chooses the server.
 */
export async function readAuthorities(
  { caFile }: Pick<UpdateDecisions, "caFile">,
  owners: TrustedOwners = {},
): Promise<string | null> {
  if (caFile === null) return null;
  const bytes = await readTrustedFile(caFile, { ...owners, maximumBytes }, refusal);
  if (bytes === null) throw refusal(caFile, "does not exist");
  const text = Buffer.from(bytes).toString("latin1");
  const certificates = text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  if (certificates.length === 0) throw refusal(caFile, "holds no certificate in PEM");
  for (const [index, certificate] of certificates.entries()) {
    if (!isCertificate(certificate))
      throw refusal(caFile, `cannot be read: certificate ${index + 1} in it is none`);
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

/** As the settings have it. */
const channelName = new RegExp(settings.properties.update.properties.ota.properties.channel.pattern);

function checkedChannels(channels: unknown, refuse: Refuse): string[] {
  if (!Array.isArray(channels) || channels.length === 0)
    throw refuse("update.channels must be a list of at least one channel; without it any may be set");
  return channels.map((channel: unknown) => {
    if (typeof channel === "string" && channelName.test(channel)) return channel;
    throw refuse(`update.channels holds ${JSON.stringify(channel)}, which is no channel such as stable`);
  });
}

function checkedPath(path: unknown, refuse: Refuse): string {
  if (typeof path === "string" && isAbsolute(path) && !path.includes("\0")) return path;
  throw refuse(`has ${JSON.stringify(path)} as update.ca_file, which is no absolute path`);
}

/** A password for a proxy would stand where everybody can read it. */
function checkedProxy(proxy: unknown, refuse: Refuse): string {
  const url = typeof proxy === "string" && URL.canParse(proxy) ? new URL(proxy) : undefined;
  const isPlain = url?.protocol === "http:" && url.username === "" && url.password === "";
  if (url && isPlain && url.pathname === "/" && url.search === "" && url.hash === "") return url.origin;
  throw refuse(
    `has ${JSON.stringify(proxy)} as update.proxy, which is no address such as http://proxy.example.net:3128`,
  );
}

function checkedOrigin(origin: unknown, refuse: Refuse): string {
  const url = typeof origin === "string" && URL.canParse(origin) ? new URL(origin) : undefined;
  const isWeb = url?.protocol === "https:" || url?.protocol === "http:";
  if (isWeb && (origin === url.origin || origin === `${url.origin}/`)) return url.origin;
  throw refuse(
    `has ${JSON.stringify(origin)} in update.redirect_origins, which is no origin such as https://cdn.example.net`,
  );
}

const refusal = refusalOf("The update.ca_file of the host file");

function refusalOf(what: string): (path: string, why: string) => StewardError {
  return (path, why) => new StewardError("validation_failed", `${what} cannot be used: ${path} ${why}.`);
}

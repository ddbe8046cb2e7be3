import { durationSeconds } from "../../contract/durations.ts";
import type { InputError } from "../../contract/errors.ts";
import type { HostFileDocument } from "../../contract/types.ts";
import type { SignInProvider } from "../../host/provider-ports.ts";
import type { ApplyPlan } from "../../host/release-ports.ts";
import type { SurroundingName, Surroundings } from "../../host/surroundings.ts";
import type { ProductReport } from "../../product/reports.ts";
import type { ProductPage } from "../../product/visits.ts";

/** Root's decisions about this device, which the API never writes. */
export type HostFile = ReturnType<typeof decisionsOf>;

export type OtlpDecisions = NonNullable<HostFile["telemetry"]["otlp"]>;

/** Root's decisions about HTTPS on the LAN. */
export type HttpsDecisions = HostFile["https"];

export type UpdateDecisions = HostFile["update"];

/** The placeholder for the release's directory in the words of a program. */
export const releasePlace = "{release}";

/** The decisions of a host file in whose text `checkHostFile` has found no fault. */
export function decisionsOf(
  { https, network, notify, product, telemetry, time, update, ...file }: HostFileDocument,
  faults: readonly InputError[] = [],
) {
  const surroundings: SurroundingsOf = (part, own) => surroundingsOf(part, own, { network, faults });
  return {
    /** Names that this device answers to, besides its host name, its addresses and localhost. */
    names: file.names,
    /** Addresses and CIDR ranges of the proxies whose X-Forwarded-For and X-Forwarded-Proto are trusted. */
    trustedProxies: file.trusted_proxies,
    https: {
      enabled: https.enabled ?? false,
      /** Root has said whether it is on: then only root changes it. */
      isDecided: https.enabled !== undefined,
      port: https.port,
      /** The only address that it listens on; null: all. */
      address: https.address ?? null,
      /** The port at which plain HTTP is answered with a redirect to HTTPS; null: none. */
      redirectPort: https.redirect_port ?? null,
      /** Browsers are to use only HTTPS at this name from now on, once a certificate is installed. */
      hsts: https.hsts,
    },
    /** Units besides the agent's own whose log may be read through the agent. */
    logUnits: file.log_units,
    product: {
      /** The product that this device runs, as releases name it. */
      name: product.name,
      /** Its pages, whose visitors sign in here. */
      pages: pagesOf(product, https),
      /** The units that report, and what they may report. */
      units: product.units,
      reports: product.reports.map(reportOf),
      /** Absolute path of the file with its version; null: only a release says it. */
      versionFile: product.version_file ?? null,
    },
    /** `steward.rescue=1` on the kernel's command line prints a setup token on the first terminal. */
    kernelRescue: file.kernel_rescue,
    /** The last day of the maker's support (YYYY-MM-DD); null: it names none. */
    supportUntil: file.support_until ?? null,
    /** The maker of the product, as the console names it; null: it names none. */
    maker: file.maker === undefined ? null : makerOf(file.maker),
    /** The provider at which users can also sign in; null: none. */
    oidc: file.oidc === undefined ? null : providerOf(file.oidc, surroundings),
    notify: {
      /** The surroundings of receivers of notifications. */
      ...surroundings("notify", notify),
      /** Plain HTTP may reach them. */
      allowHttp: notify.allow_http || notify.allow_local_servers,
    },
    /** The receivers of the record and the metrics that root has named. */
    telemetry: telemetryOf(telemetry, surroundings),
    /** Absolute path of a PEM file with the only authorities of time servers that are trusted; null: those of the system. */
    time: { caFile: time.ca_file ?? null },
    update: {
      ...surroundings("update", update),
      /** Origins besides the server's own that it may redirect to. */
      redirectOrigins: originsOf(update.redirect_origins),
      /** Channels that releases may come from; null: the one that the settings name. */
      channels: update.channels ?? null,
      apply: plansOf(product.name, update),
    },
  };
}

/** The port of the agent's own HTTP, on loopback. */
export const plainPort = 8470;

function pagesOf(
  { pages, sign_in }: HostFileDocument["product"],
  https: HostFileDocument["https"],
): ProductPage[] {
  return pages.map(({ name, title, url, role, secret_file }) => {
    const { origin } = new URL(url);
    const signIn = signInOf(url, sign_in, https).origin;
    return { name, title, origin, role, secretFile: secret_file ?? null, signIn };
  });
}

/** The console at which the visitors of a page sign in. */
export function signInOf(
  url: string,
  sign_in: string | undefined,
  { enabled, port }: HostFileDocument["https"],
): URL {
  const { hostname } = new URL(url);
  return new URL(sign_in ?? (enabled ? `https://${hostname}:${port}` : `http://${hostname}:${plainPort}`));
}

function reportOf(report: HostFileDocument["product"]["reports"][number]): ProductReport {
  const { code, level, text, page = null, path = "/", message = false, ttl = "15m" } = report;
  return { code, level, text, page, path, isMessage: message, ttlSeconds: durationSeconds(ttl) };
}

function makerOf({ name, mark, picture, support }: NonNullable<HostFileDocument["maker"]>) {
  return {
    name,
    /** Absolute path of its mark, .svg or .png; null: it has none. */
    mark: mark ?? null,
    /** Absolute path of a picture of the product, .svg, .png or .jpg; null: none. */
    picture: picture ?? null,
    /** An https or e-mail address, or a telephone number; null: none. */
    support: support ?? null,
  };
}

function providerOf(
  oidc: NonNullable<HostFileDocument["oidc"]>,
  surroundings: SurroundingsOf,
): SignInProvider {
  const { admin, operator, readonly } = oidc.roles;
  return {
    name: oidc.name,
    issuer: oidc.issuer,
    clientId: oidc.client_id,
    clientSecretFile: oidc.client_secret_file ?? null,
    origins: originsOf(oidc.origins),
    scopes: oidc.scopes ?? null,
    groupClaim: oidc.group_claim,
    roles: { admin, operator, readonly },
    nameClaim: oidc.name_claim,
    endpointOrigins: originsOf(oidc.endpoint_origins),
    ...surroundings("oidc", oidc),
  };
}

function telemetryOf({ otlp, syslog }: HostFileDocument["telemetry"], surroundings: SurroundingsOf) {
  return {
    otlp: otlp
      ? {
          url: otlp.url,
          ...surroundings("telemetry.otlp", otlp),
          /** Absolute path of a file with headers; null: none. */
          headersFile: otlp.headers_file ?? null,
          /** Between two deliveries of metrics. */
          intervalSeconds: durationSeconds(otlp.interval),
        }
      : null,
    syslog: syslog
      ? { server: syslog.server, port: syslog.port, ...surroundings("telemetry.syslog", syslog) }
      : null,
  };
}

type Chosen = HostFileDocument["network"] & { readonly allow_local_servers?: boolean };

type SurroundingsOf = (part: string, own: Chosen) => Surroundings;

/** Those of one client: each member of its own, or else that of `network`. */
function surroundingsOf(
  part: string,
  own: Chosen,
  { network, faults }: { network: HostFileDocument["network"]; faults: readonly InputError[] },
): Surroundings {
  const members: Partial<Record<SurroundingName, string>> = {
    ...(own.allow_local_servers !== undefined && { allow_local_servers: `${part}.allow_local_servers` }),
    ...(part === "update" && { redirect_origins: "update.redirect_origins" }),
  };
  const chosen = (name: "ca_file" | "proxy" | "client_certificate_file"): string | undefined => {
    const isOwn = own[name] !== undefined;
    const ofNetwork =
      network[name] === undefined ? `${part}.${name} (or network.${name})` : `network.${name}`;
    members[name] = isOwn ? `${part}.${name}` : ofNetwork;
    const value = own[name] ?? network[name];
    return value === "none" ? undefined : value;
  };
  const [caFile, proxy] = [chosen("ca_file"), chosen("proxy")];
  const clientCertificateFile = chosen("client_certificate_file");
  const [untrusted] = (["ca_file", "client_certificate_file"] as const).flatMap((name) => {
    const found = faults.find(({ pointer }) => pointer === `/${members[name]?.replaceAll(".", "/")}`);
    return found ? [{ name, detail: found.detail }] : [];
  });
  return {
    caFile,
    clientCertificateFile,
    members,
    proxy: proxy === undefined ? undefined : new URL(proxy).origin,
    allowLocalServers: own.allow_local_servers ?? false,
    ...(untrusted && { untrusted }),
  };
}

function originsOf(origins: readonly string[]): string[] {
  return origins.map((origin) => new URL(origin).origin);
}

/** The activation of releases of each kind; null: releases of this kind are not applied here. */
function plansOf(product: string, { rules, binary }: HostFileDocument["update"]) {
  const ofOwn = product === "steward" ? ownBinary : null;
  return { rules: rules ? planOf(rules) : null, binary: binary ? planOf(binary) : ofOwn };
}

type Plan = NonNullable<HostFileDocument["update"]["rules"]>;

function planOf({ unit, activate, self_test, health }: Plan): ApplyPlan {
  const { http, command, successes, interval, within } = health;
  return {
    unit: unit ?? null,
    activate: activate ?? null,
    selfTest: self_test ?? null,
    health: {
      http: http.map(({ url, status, version_member }) => ({
        url: new URL(url).href,
        status,
        versionMember: version_member ?? null,
      })),
      command: command ?? null,
      successes,
      intervalSeconds: durationSeconds(interval),
      withinSeconds: durationSeconds(within),
    },
  };
}

/** Steward as a product: activated as its package does it, unless the host file says otherwise. */
const ownBinary: ApplyPlan = {
  unit: "steward.service",
  activate: null,
  // Not the command `version`, which asks the running agent.
  selfTest: [`${releasePlace}/lib/steward/steward`, "--version"],
  health: {
    http: [
      { url: "http://127.0.0.1:8470/api/version", status: 200, versionMember: "version" },
      { url: "http://127.0.0.1:8470/api/health/ready", status: 200, versionMember: null },
    ],
    command: null,
    successes: 6,
    intervalSeconds: 5,
    withinSeconds: 300,
  },
};

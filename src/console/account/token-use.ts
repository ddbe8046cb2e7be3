import type { Scope } from "../../contract/scopes.ts";
import type { Tls } from "../../contract/types.ts";

/** The address that a program is given, and the marks of the certificate that the device has made itself. */
export interface WayIn {
  readonly origin: string;
  /** null: the certificate is another's, which the program's own authorities judge, or there is none. */
  readonly certificate: { readonly fingerprint: string; readonly pin: string } | null;
}

/** The address by which this browser came, or that of HTTPS. `tls`: null if unreadable. A proxy has its own certificate. */
export function wayIn(origin: string, tls: Tls | null): WayIn {
  const [first = origin] = tls?.listening ? tls.urls : [];
  const used = origin.startsWith("https:") ? origin : first;
  const shown = tls?.listening && tls.urls.includes(used) ? tls.certificate : null;
  if (shown?.source !== "self_made") return { origin: used, certificate: null };
  return { origin: used, certificate: { fingerprint: shown.fingerprint, pin: shown.public_key_pin } };
}

/** A request that a token with the scope may make, which changes nothing where there is such a one. */
const firstRequests: readonly (readonly [scope: Scope, path: string, method?: "POST"])[] = [
  ["metrics:read", "/api/metrics"],
  ["system:read", "/api/status"],
  ["logs:read", "/api/logs"],
  ["events:read", "/api/events"],
  ["users:read", "/api/users"],
  ["configuration:read", "/api/configuration/digest"],
  ["updates:check", "/api/updates/check", "POST"],
  ["time:write", "/api/system/time-sync/sync", "POST"],
];

/** Lets the token be pasted into a file. In a line of the shell it would be in its history, and in the list of processes. */
export const savingLine = "(umask 077 && cat > steward.token)";

/** Lines for a shell: a first request with the token that `savingLine` keeps. null: none of its scopes has one without a body. */
export function curlLines(granted: readonly string[], way: WayIn): string | null {
  const request = firstRequests.find(([scope]) => granted.includes(scope));
  if (request === undefined) return null;
  const [, path, method] = request;
  // The pin is checked with --insecure too, which leaves out the authorities: no one has signed this certificate.
  const pin = way.certificate && `--insecure --pinnedpubkey '${way.certificate.pin}'`;
  const options = ["-sS", method && `-X ${method}`, pin].filter(Boolean).join(" ");
  return [
    "printf 'Authorization: Bearer ' | cat - steward.token |",
    `  curl ${options} -H @- '${way.origin}${path}'`,
  ].join("\n");
}

/** Shell lines that fetch the certificate `prometheusJob` names; one with another fingerprint is removed again. null: it needs none. */
export function certificateLines({ origin, certificate }: WayIn): string | null {
  if (certificate === null) return null;
  const { hostname, port } = new URL(origin);
  return [
    `openssl s_client -connect '${hostname}:${port || "443"}' \\`,
    "  </dev/null 2>/dev/null | openssl x509 -out steward-ca.pem",
    "openssl x509 -in steward-ca.pem -noout -sha256 -fingerprint |",
    `  grep -F '${certificate.fingerprint}' ||`,
    "  rm -f steward-ca.pem",
  ].join("\n");
}

export function prometheusJob({ origin, certificate }: WayIn): string {
  const { protocol, host } = new URL(origin);
  return [
    "scrape_configs:",
    "  - job_name: steward",
    "    metrics_path: /api/metrics",
    `    scheme: ${protocol.slice(0, -1)}`,
    "    authorization:",
    "      credentials_file: steward.token",
    ...(certificate === null ? [] : ["    tls_config:", "      ca_file: steward-ca.pem"]),
    "    static_configs:",
    `      - targets: ['${host}']`,
  ].join("\n");
}

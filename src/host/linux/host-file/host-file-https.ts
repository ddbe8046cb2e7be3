import { isIP } from "node:net";
import type { Refuse } from "./host-file-apply.ts";

/** What root decides about HTTPS on the LAN. */
export interface HttpsDecisions {
  readonly enabled: boolean;
  readonly port: number;
  /** The only address that it listens on; null: all. */
  readonly address: string | null;
  /** Where plain HTTP is answered with a redirect to HTTPS; null: nowhere. */
  readonly redirectPort: number | null;
  /** Browsers are told to use HTTPS alone at this name from now on, once a certificate is installed. */
  readonly hsts: boolean;
}

export const plainHttps: HttpsDecisions = {
  ...{ enabled: false, port: 8443, address: null, redirectPort: null, hsts: false },
};

/** The member `https` of the host file. Throws what `refuse` makes. */
export function checkedHttps(https: unknown = {}, refuse: Refuse): HttpsDecisions {
  if (typeof https !== "object" || https === null || Array.isArray(https))
    throw refuse("has an https that is not an object");
  const members: Record<string, unknown> = { ...https };
  const { enabled = plainHttps.enabled, port = plainHttps.port, address, redirect_port, ...more } = members;
  const { hsts = plainHttps.hsts, ...others } = more;
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) throw refuse(`has a member "https.${unknown}" that is not known`);
  if (typeof enabled !== "boolean") throw refuse("https.enabled must be true or false");
  if (typeof hsts !== "boolean") throw refuse("https.hsts must be true or false");
  if (address !== undefined && (typeof address !== "string" || isIP(address) === 0))
    throw refuse(`has ${JSON.stringify(address)} as https.address: it must be an address such as 192.0.2.7`);
  const decisions = {
    enabled,
    port: checkedPort("https.port", port, refuse),
    address: address ?? null,
    redirectPort:
      redirect_port === undefined ? null : checkedPort("https.redirect_port", redirect_port, refuse),
    hsts,
  };
  if (decisions.port === decisions.redirectPort)
    throw refuse(`has ${decisions.port} as both https.port and https.redirect_port`);
  // RFC 6797 §8.3: a browser keeps every other port, and then speaks TLS to the one that redirects.
  if (hsts && decisions.redirectPort !== null && !(decisions.redirectPort === 80 && decisions.port === 443))
    throw refuse(
      "has https.hsts with an https.redirect_port, which browsers would then open with TLS: take one of them away",
    );
  return decisions;
}

function checkedPort(name: string, port: unknown, refuse: Refuse): number {
  if (typeof port === "number" && Number.isInteger(port) && port >= 1 && port <= 65_535) return port;
  throw refuse(`has ${JSON.stringify(port)} as ${name}: it must be a port, 1 to 65535`);
}

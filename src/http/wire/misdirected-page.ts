import type { IncomingMessage } from "node:http";
import type { TLSSocket } from "node:tls";
import { canonicalAddress } from "../../accounts/throttle/client-key.ts";
import { misdirection as de } from "../../contract/words/de/misdirection.ts";
import { misdirection as en } from "../../contract/words/en/misdirection.ts";
import { apiHeaders } from "./connections.ts";

export const pageHeaders = {
  "Content-Type": "text/html; charset=utf-8",
  // Neither script nor style.
  "Content-Security-Policy": apiHeaders["Content-Security-Policy"],
  "X-Content-Type-Options": "nosniff",
} as const;

interface Misdirected {
  readonly isOurHost: (host: string) => boolean;
  /** The port that plain HTTP leads to; undefined: the request came over HTTPS, or by a proxy. */
  readonly httpsPort?: number;
}

/**
 * For a person whose browser came by a name that is not the device's. It has only what a client knows by then: the address
 * of the connection, and the names in the certificate. A page of an attacker, whose name leads here, could read more of it.
 */
export function misdirectedPage({ headers, socket }: IncomingMessage, { isOurHost, httpsPort }: Misdirected) {
  const [, language = "en"] =
    /(?:^|[\s,])(en|de)\b/.exec(headers["accept-language"]?.toLowerCase() ?? "") ?? [];
  const { title, cause, shown, added } = language === "de" ? de : en;
  const [, name, port = "443"] = /^([\w.-]+)(?::(\d+))?$/.exec(headers.host ?? "") ?? [];
  const hosts = httpsPort === undefined && !("encrypted" in socket) ? [] : hostsOf(socket, isOurHost);
  const urls = hosts.map((one) => `https://${one}:${httpsPort ?? port}/`.replace(/:443\/$/, "/"));
  const links = urls.map((url) => `<li><a href="${url}">${url}</a></li>`).join("");
  return `<!doctype html>
<html lang="${language}"><head><meta charset="utf-8"><title>${title}</title>
<meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark"></head>
<body><h1>${title}</h1><p>${cause} ${links === "" ? shown : ""}</p>${links && `<ul>${links}</ul>`}
${name === undefined || isOurHost(name) ? "" : `<p>${added(name)}</p>`}</body></html>
`;
}

function hostsOf(socket: IncomingMessage["socket"], isOurHost: Misdirected["isOurHost"]): string[] {
  const certified = (socket as Partial<TLSSocket>).getX509Certificate?.()?.subjectAltName ?? "";
  const names = [...certified.matchAll(/DNS:([\w.-]+)/g)].map(([, name = ""]) => name);
  const address = canonicalAddress(socket.localAddress ?? "") ?? "";
  // No browser takes the name of a link, without which such an address leads nowhere.
  const reached = /^(fe80:.*)?$/i.test(address) ? [] : [address.includes(":") ? `[${address}]` : address];
  return [...names.filter((name) => name !== "localhost" && isOurHost(name)), ...reached];
}

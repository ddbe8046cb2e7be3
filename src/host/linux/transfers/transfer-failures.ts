import type { ServerPlace } from "../../ports.ts";
import { type Surroundings, withPlace } from "../../surroundings.ts";
import { TransferFailure, unreachable } from "../../transfer-failure.ts";
import { isLocalHost } from "../network/server-addresses.ts";

/** The server in an error, and the proxy on the way to it. */
export function placeOf({ host }: Pick<URL, "host">, proxy: URL | undefined): string {
  return proxy === undefined ? host : `${host} (through the proxy ${proxy.host})`;
}

/** The failure of a connection to the proxy is the proxy's, whatever server was asked for. */
export async function blaming<T>(
  proxy: URL | undefined,
  surroundings: Surroundings,
  opening: Promise<T>,
): Promise<T> {
  return opening.catch((cause: unknown) => {
    if (proxy === undefined) throw cause;
    const { message } = unreachable(proxyName(proxy, surroundings), cause, surroundings);
    throw new TransferFailure("unreachable", message, { ...ofProxy(surroundings), cause });
  });
}

/** The error of a proxy that answered for itself (RFC 9110 §9.3.6, §15.5.8). `status` is NaN where its answer is not HTTP. */
export function proxyRefused(
  proxy: URL,
  surroundings: Surroundings,
  target: string,
  status: number,
): TransferFailure {
  const answered = Number.isNaN(status) ? "its answer is not HTTP" : `it answered ${status}`;
  const advised =
    status === 407
      ? "It asks for a user name and a password, which are never sent: have it let this device through without."
      : "Ask who runs it whether it reaches that server, and lets this device do so.";
  const message = `${proxyName(proxy, surroundings)} did not connect to ${target}: ${answered}. ${advised}`;
  return new TransferFailure(status >= 500 ? "unreachable" : "refused", message, ofProxy(surroundings));
}

/** An address that is no `http://host:port`, or has a password. */
export function unusableProxy(surroundings: Surroundings): TransferFailure {
  const { member, reason } = ofProxy(surroundings);
  const message = `${withPlace(member)} must have the form http://host:port.`;
  return new TransferFailure("refused", message, { member, reason });
}

function proxyName({ host }: URL, surroundings: Surroundings): string {
  return `The proxy ${host} (${withPlace(ofProxy(surroundings).member)})`;
}

function ofProxy({ members }: Surroundings) {
  return { reason: "proxy" as const, member: members?.proxy ?? "network.proxy" };
}

/** The failure of a connection to a server that a setting names. */
export function serverFailure(
  surroundings: Surroundings,
  { host, port }: ServerPlace,
  cause: unknown,
  isSent = false,
): TransferFailure {
  const proxy =
    surroundings.proxy === undefined || isLocalHost(host) ? undefined : new URL(surroundings.proxy);
  return unreachable(placeOf({ host: `${host}:${port}` }, proxy), cause, surroundings, isSent);
}

/** The server's address, answer or redirect is not acceptable. */
export function refused(message: string, isSent = false): TransferFailure {
  return new TransferFailure("refused", message, { isSent });
}

import { readFile } from "node:fs/promises";
import { networkInterfaces } from "node:os";
import type { Facts } from "../contract/types.ts";
import { shortV6 } from "../host/short-v6.ts";

/** The flag RTF_GATEWAY of a route (route(8)). */
const throughGateway = 0x2;

/** Hexadecimal digits of an address of IPv6. */
const digitsOfV6 = 32;

/** Addresses of the host's interfaces, its default gateways and its name servers. What cannot be read is left out. */
export async function readNetwork(): Promise<Facts["network"]> {
  const [v4, v6, name_servers] = await Promise.all([
    textOf("/proc/net/route"),
    textOf("/proc/net/ipv6_route"),
    readNameServers(),
  ]);
  return {
    interfaces: Object.entries(networkInterfaces()).flatMap(([name, addresses = []]) => {
      const [first] = addresses;
      // The loopback interface is the same on each host.
      if (first === undefined || first.internal) return [];
      return [{ name, mac: first.mac, addresses: addresses.map(({ cidr, address }) => cidr ?? address) }];
    }),
    gateways: [...new Set([...gatewaysOfV4(v4), ...gatewaysOfV6(v6)])],
    name_servers,
  };
}

/** A row of /proc/net/route has interface, destination, gateway, flags; addresses are words of the processor (proc(5)). */
function gatewaysOfV4(text: string): string[] {
  return rowsOf(text).flatMap(([, destination, gateway = "", flags = ""]) =>
    destination === "00000000" && isThroughGateway(flags) ? [ofWord(gateway)] : [],
  );
}

/** Little-endian, as every processor is that this program is built for. */
function ofWord(hex: string): string {
  return [...Buffer.from(hex, "hex").reverse()].join(".");
}

/** A row of /proc/net/ipv6_route has destination and prefix, source and prefix, next hop, metric, counts, flags, interface (proc(5)). */
function gatewaysOfV6(text: string): string[] {
  return rowsOf(text).flatMap(([destination, prefix, , , gateway = "", , , , flags = ""]) =>
    destination === "0".repeat(digitsOfV6) && prefix === "00" && isThroughGateway(flags)
      ? [shortV6(gateway)]
      : [],
  );
}

function isThroughGateway(flags: string): boolean {
  return (Number.parseInt(flags, 16) & throughGateway) !== 0;
}

/** systemd-resolved, which answers on the device itself, has the servers that it asks in a file (systemd-resolved(8)). */
async function readNameServers(): Promise<string[]> {
  const servers = nameServersIn(await textOf("/etc/resolv.conf"));
  if (!servers.includes("127.0.0.53")) return servers;
  const asked = nameServersIn(await textOf("/run/systemd/resolve/resolv.conf"));
  return asked.length > 0 ? asked : servers;
}

/** In lines such as `nameserver 192.0.2.53` (resolv.conf(5)). */
function nameServersIn(text: string): string[] {
  return [...text.matchAll(/^nameserver[ \t]+(\S+)/gm)].map(([, address = ""]) => address);
}

function rowsOf(text: string): string[][] {
  return text.split("\n").map((line) => line.trim().split(/\s+/));
}

/** Empty where there is no such file, as in a host without IPv6. */
async function textOf(path: string): Promise<string> {
  return readFile(path, "utf8").catch(() => "");
}

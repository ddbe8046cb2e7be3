import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { isIP } from "node:net";
import { serverFault } from "../../../contract/clock/time-server.ts";
import { mostTimeServers, serverName } from "../../../contract/schemas/settings.ts";

/**
 * systemd-networkd's summary of its links, which timesyncd goes by as well (libsystemd's sd_network_get_ntp). `NTP=` has
 * the servers of DHCP (option 42, and DHCPv6's option 56) and of its configuration, without those that UseNTP=no leaves out.
 */
const usualPath = "/run/systemd/netif/state";

/** Bytes. A device with a few links has 200; of a longer file nothing is believed. */
const mostBytes = 65_536;

const serverPattern = new RegExp(serverName.pattern);

/** The time servers that the network offers, as entries of `time.servers`; none where networkd has no network. */
export function readOfferedServers(path = usualPath): readonly string[] {
  const listed = /^NTP=(.*)$/m.exec(textOf(path))?.[1] ?? "";
  const servers = listed.split(" ").map((name) => (isIP(name) === 6 ? `[${name}]` : name));
  return [...new Set(servers.filter(isServer))].slice(0, mostTimeServers);
}

function isServer(name: string): boolean {
  return name.length <= serverName.maxLength && serverPattern.test(name) && serverFault(name) === null;
}

/** Empty where it cannot be read. Without waiting: a fifo in its place would block the process. */
function textOf(path: string): string {
  let file: number | undefined;
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const found = fstatSync(file);
    if (!found.isFile() || found.size > mostBytes) return "";
    const bytes = Buffer.alloc(found.size);
    return bytes.toString("latin1", 0, readSync(file, bytes));
  } catch {
    return "";
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

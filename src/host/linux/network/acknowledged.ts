import { readFile } from "node:fs/promises";
import type { IsAcknowledged } from "../../ports.ts";

/** proc_pid_net(5): of this process's network namespace. An IPv4 connection may be in either, by the kind of its socket. */
const tables = ["/proc/self/net/tcp", "/proc/self/net/tcp6"];

/** FIN_WAIT2 of the kernel: the other end has acknowledged our FIN, and with it every byte before. */
const finished = "05";

export const isAcknowledged: IsAcknowledged = async ({ localPort = 0, remotePort = 0 }) => {
  const row = new RegExp(`:${hex(localPort)} [0-9A-F]+:${hex(remotePort)} ${finished} `);
  const texts = await Promise.all(tables.map((table) => readFile(table, "latin1").catch(() => "")));
  return texts.some((text) => row.test(text));
};

function hex(port: number): string {
  return port.toString(16).toUpperCase().padStart(4, "0");
}

import { readFile } from "node:fs/promises";
import type { IsAcknowledged } from "../../ports.ts";
import { hexPort, tables } from "./connection-users.ts";

/** FIN_WAIT2 of the kernel: the other end has acknowledged our FIN, and with it every byte before. */
const finished = "05";

export const isAcknowledged: IsAcknowledged = async ({ localPort = 0, remotePort = 0 }) => {
  const row = new RegExp(`:${hexPort(localPort)} [0-9A-F]+:${hexPort(remotePort)} ${finished} `);
  // An IPv4 connection may be in either table, by the kind of its socket.
  const reading = Object.values(tables).map((table) => readFile(table, "latin1").catch(() => ""));
  const texts = await Promise.all(reading);
  return texts.some((text) => row.test(text));
};

import { type FileHandle, open, readFile } from "node:fs/promises";
import { endianness } from "node:os";
import type { ConnectionEnds, IsAcknowledged, UserOfConnection } from "../../ports.ts";

/** Bytes read of each table of the kernel at most: about 28,000 connections. */
const maximumBytes = 4 * 1024 * 1024;

const chunkBytes = 64 * 1024;

/** proc_pid_net(5): of this process's network namespace, also with ProcSubset=pid of systemd. */
const tables = { ipv4: "/proc/self/net/tcp", ipv6: "/proc/self/net/tcp6" } as const;

/** In hex, as the tables have an IPv4 address that an IPv6 socket uses. */
const mappedPrefix = "00000000000000000000FFFF";

/** The user of a loopback connection, by its socket's row, if established: the kernel shows closed ones as root's. */
export const userOfConnection: UserOfConnection = async (ends) => {
  for (const { table, row } of rowsOf(ends)) {
    const found = await findRow(table, row).catch(() => undefined);
    if (found !== undefined) return found;
  }
  return null;
};

/** FIN_WAIT2 of the kernel: the other end has acknowledged our FIN, and with it every byte before. */
const finished = "05";

/** True once the other end has everything, and knows of the end. */
export const isAcknowledged: IsAcknowledged = async ({ localPort = 0, remotePort = 0 }) => {
  const row = new RegExp(`:${hexPort(localPort)} [0-9A-F]+:${hexPort(remotePort)} ${finished} `);
  // An IPv4 connection may be in either table, by the kind of its socket.
  const reading = Object.values(tables).map((table) => readFile(table, "latin1").catch(() => ""));
  const texts = await Promise.all(reading);
  return texts.some((text) => row.test(text));
};

/** The tables that may hold the row of the other end, and how the row begins: with that end's own address. */
function rowsOf({ remoteAddress, remotePort, localAddress, localPort }: ConnectionEnds) {
  const row = (hex: (address: string) => string) =>
    `${hex(remoteAddress)}:${hexPort(remotePort)} ${hex(localAddress)}:${hexPort(localPort)} 01 `;
  if (remoteAddress.includes(":")) return [{ table: tables.ipv6, row: row(hexOfIpv6) }];
  return [
    { table: tables.ipv4, row: row(hexOfIpv4) },
    // For a program that uses IPv6 sockets for IPv4 too.
    { table: tables.ipv6, row: row((address) => hexOfWords(mappedPrefix) + hexOfIpv4(address)) },
  ];
}

async function findRow(path: string, begin: string): Promise<number | undefined> {
  const file = await open(path, "r");
  try {
    return await scan(file, begin);
  } finally {
    await file.close();
  }
}

async function scan(file: FileHandle, begin: string): Promise<number | undefined> {
  const buffer = Buffer.alloc(chunkBytes);
  let rest = "";
  for (let total = 0; total < maximumBytes; ) {
    const { bytesRead } = await file.read(buffer, 0, chunkBytes, null);
    if (bytesRead === 0) return undefined;
    total += bytesRead;
    const text = rest + buffer.toString("latin1", 0, bytesRead);
    const at = text.indexOf(begin);
    const end = at < 0 ? -1 : text.indexOf("\n", at);
    if (end >= 0) return userOf(text.slice(at, end));
    rest = text.slice(at >= 0 ? at : text.lastIndexOf("\n") + 1);
  }
  return undefined;
}

/** `local remote state queues timer retransmissions uid timeout inode …` */
function userOf(row: string): number | undefined {
  const [, , , , , , uid, , inode] = row.split(/ +/);
  return inode === "0" || uid === undefined ? undefined : Number(uid);
}

/** As the tables have it. */
function hexPort(port: number): string {
  return port.toString(16).toUpperCase().padStart(4, "0");
}

function hexOfIpv4(address: string): string {
  const bytes = address.split(".").map((part) => Number(part).toString(16).padStart(2, "0"));
  return hexOfWords(bytes.join("").toUpperCase());
}

/** ::1, the only IPv6 address of loopback. */
function hexOfIpv6(): string {
  return hexOfWords(`${"0".repeat(31)}1`);
}

/** The kernel prints addresses in the byte order of the machine. */
function hexOfWords(hex: string): string {
  if (endianness() === "BE") return hex;
  return hex.replace(/(..)(..)(..)(..)/g, "$4$3$2$1");
}

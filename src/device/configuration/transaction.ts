import { rename, rm } from "node:fs/promises";
import { basename } from "node:path";
import { ifAbsent, StewardError } from "../../contract/errors.ts";
import { mostDocumentBytes } from "../../store/documents/document-kind.ts";
import { syncDirectory, writeDurably } from "../../store/files/durable-file.ts";
import { readRegular } from "../../store/files/regular-file.ts";
import type { Order } from "./order.ts";

/**
 * A decided change that may not be on the disk yet. A configuration changes several documents: with this file they all
 * change or none does. While it exists the order is in force, and the program that opens the state carries it out
 * first.
 */
export interface Transaction {
  readonly version: 1;
  readonly order: Order;
  /** Fingerprint of the root of trust that root has to install; the order is in force after that. */
  readonly awaits?: string;
  /** Ids of users whose sessions end: their password, or their right to sign in, was changed. */
  readonly endSessions: readonly string[];
  /** Users who are deleted, with everything else that is kept of them. */
  readonly forget: readonly { readonly id: string; readonly username: string }[];
}

/** Hidden, like the lock: a directory with only this file holds no state. */
export function transactionPath(directory: string): string {
  return `${directory}/.transaction.json`;
}

/** When it returns the order is in force, unless it awaits a root of trust. Throws `storage_full`, `storage_unwritable`. */
export function writeTransaction(directory: string, transaction: Transaction): Promise<void> {
  return writeDurably(transactionPath(directory), `${JSON.stringify(transaction)}\n`);
}

/** null: there is none. Throws `state_damaged` for one that cannot be read. */
export function readTransaction(directory: string): Promise<Transaction | null> {
  return read(transactionPath(directory));
}

/** The transaction that was carried out last, which the device is compared with. */
export function appliedPath(directory: string): string {
  return `${directory}/.applied.json`;
}

/** null: there is none. Throws `state_damaged` for one that cannot be read. */
export function readApplied(directory: string): Promise<Transaction | null> {
  return read(appliedPath(directory));
}

/** Call it when everything is on the disk. */
export async function keepAsApplied(directory: string): Promise<void> {
  await rename(transactionPath(directory), appliedPath(directory));
  await syncDirectory(directory);
}

async function read(path: string): Promise<Transaction | null> {
  const bytes = await readRegular(path, mostDocumentBytes).catch(ifAbsent);
  if (bytes === null) return null;
  try {
    const { version, order, awaits, endSessions, forget } = JSON.parse(bytes.toString("utf8")) as Transaction;
    const common = { version, order, endSessions, forget };
    if (version === 1 && order.configuration.version === 1)
      return awaits === undefined ? common : { ...common, awaits };
  } catch {
    // Falls through: damage and an unknown form have the same error.
  }
  throw new StewardError("state_damaged", `${basename(path)} is damaged, or a newer release has written it.`);
}

/** Call it when nothing was done. */
export async function removeTransaction(directory: string): Promise<void> {
  await rm(transactionPath(directory), { force: true });
  await syncDirectory(directory);
}

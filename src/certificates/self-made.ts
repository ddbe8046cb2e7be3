import { createPrivateKey, createPublicKey, generateKeyPairSync, X509Certificate } from "node:crypto";
import { isIP } from "node:net";
import { join } from "node:path";
import { messageOf } from "../contract/errors.ts";
import type { CertificateRequest, Pair, SignOwn } from "../host/certificate-ports.ts";
import type { Log } from "../journal/logs/log.ts";
import { makeDirectory, writeDurably } from "../store/files/durable-file.ts";
import { readRegular } from "../store/files/regular-file.ts";
import { factsOf, isOnLan, lastingAddresses } from "./facts.ts";

export interface SelfMadeOptions {
  readonly directory: string;
  /** False: the command only looks, and nothing is made. */
  readonly mayMake: () => boolean;
  readonly signOwn: SignOwn;
  /** Names and addresses that people type now. `lanNames`: those that others on the LAN can have the device change. */
  readonly wanted: () => Wanted;
  /** The present as far as it is known: the trusted time, or the floor. */
  readonly now: () => Date;
  /** A time that is no later than the present. */
  readonly floor: () => Date;
  /** Seconds since the host has started. */
  readonly uptime: () => number;
  readonly log: Log;
}

type Wanted = Pick<CertificateRequest, "names" | "addresses"> & { readonly lanNames: readonly string[] };

const dayMilliseconds = 86_400_000;

/** Bytes of a key or a certificate of ours; with 50 names one has some 4 KiB. */
const mostPemBytes = 65_536;

/** Apple's systems refuse certificates of servers that are valid for more than 825 days, also those that a user trusts. */
const validDays = 824;

/** Days before its end at which it is replaced, so that browsers whose clocks differ still accept it. */
const renewalDays = 30;

/**
 * Seconds that a certificate is kept while the device's addresses or its names on the LAN change: each exchange is a warning
 * in each browser. It does not apply to the certificate of a device that had no address on the LAN yet: no browser knows that
 * one. Nor to the first name: only one who claims name after name has the device make certificate after certificate.
 */
const changesSeconds = 86_400;

/** Reads the device's own certificate; an outdated one is renewed with the same key. null: none, and none may be made. */
export function createSelfMade(options: SelfMadeOptions): () => Promise<Pair | null> {
  const { directory, mayMake, signOwn, wanted, now, floor, uptime, log } = options;
  const files = filesIn(directory);
  let present: Pair | null = null;
  let madeAt = Number.NEGATIVE_INFINITY;
  let renamedAt = Number.NEGATIVE_INFINITY;
  const make = async (key: string): Promise<Pair> => {
    const notBefore = new Date(beginningOf(floor(), now()).getTime() - dayMilliseconds);
    const notAfter = new Date(notBefore.getTime() + validDays * dayMilliseconds);
    const { lanNames, ...own } = wanted();
    const names = [...own.names, ...lanNames];
    const certificate = await signOwn({ ...own, key, names, notBefore, notAfter });
    madeAt = uptime();
    await keep(files.certificate, certificate, log);
    return { key, certificate };
  };
  const isKept = ({ certificate }: Pair, reason: ReturnType<typeof outdated>): boolean => {
    if (reason === "lan") return uptime() - renamedAt < changesSeconds;
    if (reason !== "addresses") return reason === null;
    const kind = isIP(lastingAddresses(wanted().addresses)[0] ?? "");
    const isKnown = (address: string): boolean => isOnLan(address) && isIP(address) === kind;
    return uptime() - madeAt < changesSeconds && factsOf(certificate).addresses.some(isKnown);
  };
  return async () => {
    present ??= await readOwnPair(directory);
    if (!mayMake()) return present;
    const reason = present === null ? "none" : outdated(present.certificate, wanted(), now());
    if (present !== null && reason !== "none" && isKept(present, reason)) return present;
    const key = (await readKey(files.key)) ?? present?.key ?? (await makeKey(directory, files.key, log));
    present = await make(key);
    if (reason === "lan") renamedAt = uptime();
    log("notice", "the device made a certificate for HTTPS", {
      reason,
      fingerprint: factsOf(present.certificate).fingerprint,
    });
    return present;
  };
}

/** The floor, so that a clock set back makes no certificate of the future; unless it is years old, from an old build. */
function beginningOf(floor: Date, now: Date): Date {
  const farMilliseconds = (validDays / 2) * dayMilliseconds;
  return now.getTime() - floor.getTime() < farMilliseconds ? floor : now;
}

/** The reason why a certificate must be replaced; null: none. */
function outdated(
  certificate: string,
  { names, lanNames, addresses }: Wanted,
  now: Date,
): "dates" | "names" | "lan" | "addresses" | null {
  const facts = factsOf(certificate);
  const end = facts.notAfter.getTime() - renewalDays * dayMilliseconds;
  if (now < facts.notBefore || now.getTime() > end) return "dates";
  if (names.some((name) => !facts.names.includes(name))) return "names";
  if (lanNames.some((name) => !facts.names.includes(name))) return "lan";
  return lastingAddresses(addresses).some((one) => !facts.addresses.includes(one)) ? "addresses" : null;
}

function filesIn(directory: string) {
  return { key: join(directory, "key.pem"), certificate: join(directory, "certificate.pem") };
}

/** Null if one of them is missing, or they do not belong together: then they are made as far as needed. */
export async function readOwnPair(directory: string): Promise<Pair | null> {
  const files = filesIn(directory);
  const key = await readKey(files.key);
  const pem = await readRegular(files.certificate, mostPemBytes).catch(() => null);
  if (key === null || pem === null) return null;
  const certificate = pem.toString("utf8");
  try {
    const isOfKey = new X509Certificate(certificate).checkPrivateKey(createPrivateKey(key));
    return isOfKey ? { key, certificate } : null;
  } catch {
    return null;
  }
}

/** Null: there is no usable key. */
async function readKey(path: string): Promise<string | null> {
  try {
    const pem = (await readRegular(path, mostPemBytes)).toString("utf8");
    return createPublicKey(pem).asymmetricKeyType === "ec" ? pem : null;
  } catch {
    return null;
  }
}

async function makeKey(directory: string, path: string, log: Log): Promise<string> {
  const { privateKey: pem } = generateKeyPairSync("ec", {
    namedCurve: "P-256",
    publicKeyEncoding: { type: "spki", format: "pem" },
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
  });
  await makeDirectory(directory).catch(() => undefined);
  await keep(path, pem, log);
  return pem;
}

/** HTTPS also works if the disk takes no writes: then the next start makes another key. */
async function keep(path: string, text: string, log: Log): Promise<void> {
  try {
    await writeDurably(path, text);
  } catch (error) {
    const detail = messageOf(error);
    log("error", "the certificate for HTTPS cannot be kept: the next start makes another", { detail });
  }
}

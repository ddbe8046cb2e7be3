import { type LookupAddress, TIMEOUT } from "node:dns";
import { lookup } from "node:dns/promises";
import { isIP } from "node:net";
import type { ResolveHost } from "../../ports.ts";

/** Seconds that a caller waits, the queue included: the C library tries each server twice for 5 s, and search domains. */
const longestWaitSeconds = 10;

/** Addresses used of one name: more than the public names of time servers have. */
const mostAddresses = 8;

/**
 * Resolves names through the C library, so that /etc/hosts counts and addresses come in the order of RFC 6724, except
 * that the families take turns (RFC 8305 §4): one that leads nowhere must not hide the other. A look-up cannot be
 * cancelled, and occupies one of the four threads that file writes need too, so there is only one at a time and
 * the others wait. Rejects with the resolver's code (ENOTFOUND, EAI_AGAIN), or ETIMEOUT.
 */
export function createResolveHost(lookUp = systemLookUp, waitSeconds = longestWaitSeconds): ResolveHost {
  let last: Promise<unknown> = Promise.resolve();
  return (host) => {
    if (isIP(host) !== 0) return Promise.resolve([host]);
    let isAwaited = true;
    const turn = last.then(() => (isAwaited ? lookUp(host) : []));
    last = turn.catch(() => undefined);
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        isAwaited = false;
        reject(failure(TIMEOUT, `no answer about ${host} within ${waitSeconds} s`));
      }, waitSeconds * 1_000);
      turn
        .then((found) => addressesOf(host, found))
        .then(resolve, reject)
        .finally(() => clearTimeout(timer));
    });
  };
}

/** All addresses of a name, best first. */
function systemLookUp(host: string): Promise<readonly LookupAddress[]> {
  return lookup(host, { all: true, verbatim: true });
}

function addressesOf(host: string, found: readonly LookupAddress[]): string[] {
  const all = [...new Set(found.map(({ address }) => address))];
  const isOfFirst = (address: string): boolean => isIP(address) === isIP(all[0] ?? "");
  const others = all.filter((address) => !isOfFirst(address));
  const mixed = all.filter(isOfFirst).flatMap((address) => [address, ...others.splice(0, 1)]);
  const addresses = [...mixed, ...others].slice(0, mostAddresses);
  if (addresses.length === 0) throw failure("ENOTFOUND", `${host} has no address`);
  return addresses;
}

function failure(code: string, message: string): Error {
  return Object.assign(new Error(message), { code });
}

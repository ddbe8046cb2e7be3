import type { AskKeyExchange, KeyExchangeFailure } from "../../host/nts-ports.ts";
import type { DatagramAddress } from "../../host/ports.ts";
import {
  exportedKeys,
  isWholeKeyExchange,
  keyExchangeRequest,
  readKeyExchange,
} from "./key-exchange-messages.ts";

/** The keys and cookies that a server has given, and the place of the NTP server that takes them. */
export interface NtsKeys {
  /** Uint8Array(32), from the client to the server and back. */
  readonly c2s: Uint8Array;
  readonly s2c: Uint8Array;
  readonly cookies: readonly Uint8Array[];
  /** A host name or literal address. */
  readonly host: string;
  readonly port: number;
}

export type KeyExchangeOutcome =
  | { readonly kind: "keys"; readonly keys: NtsKeys }
  | { readonly kind: "failed"; readonly failure: string };

/** RFC 5905 §7.2: PORT, which a server has that names no other. */
const ntpPort = 123;

/**
 * One key exchange (RFC 8915 §4). `atSeconds`: the time, in seconds since 1970, at which the certificates must be valid;
 * null: the time is not known, and their dates are not judged. Never rejects.
 */
export async function exchangeKeys(
  ask: AskKeyExchange,
  { host, address, atSeconds }: { host: string; address: DatagramAddress; atSeconds: number | null },
): Promise<KeyExchangeOutcome> {
  const answer = await ask({
    ...{ host, address, atSeconds },
    request: keyExchangeRequest(),
    isWhole: isWholeKeyExchange,
    exports: exportedKeys,
  });
  if (answer.kind === "failed") return { kind: "failed", failure: textOf(answer.reason) };
  const read = readKeyExchange(answer.bytes);
  if (read.kind === "refused") return { kind: "failed", failure: textOf(read.reason) };
  const [c2s, s2c] = answer.exported;
  if (!c2s || !s2c) return { kind: "failed", failure: "nts_not_offered" };
  const keys = {
    ...{ c2s, s2c, cookies: read.cookies },
    host: read.server ?? address.address,
    port: read.port ?? ntpPort,
  };
  return { kind: "keys", keys };
}

/** A failure's code, and what the system or OpenSSL says of it. */
function textOf({ code, cause }: KeyExchangeFailure): string {
  return cause === null ? code : `${code} ${cause}`;
}

import type {
  AskKeyExchange,
  KeyExchangeFailure,
  KeyExchangeOutcome,
  KeyRequest,
} from "../../host/nts-ports.ts";
import { ntpPort } from "../ntp/source.ts";
import {
  exportedKeys,
  isWholeKeyExchange,
  keyExchangeRequest,
  readKeyExchange,
} from "./key-exchange-messages.ts";

/** One key exchange (RFC 8915 §4). Never rejects. */
export async function exchangeKeys(ask: AskKeyExchange, keyRequest: KeyRequest): Promise<KeyExchangeOutcome> {
  const answer = await ask({
    ...keyRequest,
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
    host: read.server ?? keyRequest.address.address,
    port: read.port ?? ntpPort,
  };
  return { kind: "keys", keys };
}

/** A failure's code, and what the system or OpenSSL says of it. */
function textOf({ code, cause }: KeyExchangeFailure): string {
  return cause === null ? code : `${code} ${cause}`;
}

import type { Finding, Tls } from "../../../contract/types.ts";
import { every } from "../../../host/linux/timers.ts";
import type { HttpsContext, HttpsDecisions, HttpsPlace, OpenedHttps } from "./open-https.ts";

/** HTTPS on the LAN. While it is off, none of its code is loaded. */
export interface Https {
  status(): Promise<Tls>;
  /** Null: all is well, or it is off. */
  trouble(): Finding | null;
  /** The end of the certificate that is shown; null: there is none, or HTTPS is off. */
  certificateEnd(): Date | null;
  /** Begins to listen as the host file says. Never throws: loopback and the socket do not depend on it. */
  open(context: HttpsContext): Promise<void>;
  /** Applies these decisions, and reads the certificates again. Never throws. */
  reload(decisions: HttpsDecisions): Promise<void>;
  stop(milliseconds: number): Promise<void>;
}

/** Seconds between two checks of the certificate, and of a port that was not free. */
const lookSeconds = 60;

export function createHttps(place: HttpsPlace, decisions: HttpsDecisions): Https {
  let present = decisions;
  let context: HttpsContext | undefined;
  let opened: OpenedHttps | undefined;
  const load = async (): Promise<OpenedHttps> => {
    if (opened !== undefined) return opened;
    const { openHttps } = await import("./open-https.ts");
    opened ??= openHttps(place);
    return opened;
  };
  const look = () => place.lanNames.look(present.names()[0] ?? "");
  const apply = async (): Promise<void> => {
    if (context === undefined) return;
    // Also where only a proxy leads to this device.
    await look();
    if (!present.enabled && opened === undefined) return;
    await (await load()).apply(present, context);
  };
  // One after the other: a reload may come while the certificate is made.
  let last = Promise.resolve();
  const applied = (): Promise<void> => {
    last = last.then(apply);
    return last;
  };
  let stopLooks = (): void => undefined;
  return {
    status: async () => {
      if (!present.enabled) return off;
      if (context === undefined) await look();
      return (await load()).status(present);
    },
    trouble: () => (present.enabled ? (opened?.trouble() ?? null) : null),
    certificateEnd: () => (present.enabled ? (opened?.certificateEnd() ?? null) : null),
    open: (next) => {
      context = next;
      stopLooks();
      stopLooks = every(lookSeconds, () => void applied(), place.time.timers);
      return applied();
    },
    reload: (next) => {
      present = next;
      return applied();
    },
    stop: async (milliseconds) => {
      stopLooks();
      context = undefined;
      await last;
      await opened?.stop(milliseconds);
    },
  };
}

const off: Tls = {
  ...{ enabled: false, listening: false, urls: [], redirects_from: null },
  ...{ problem: null, certificate: null, refused: [] },
};

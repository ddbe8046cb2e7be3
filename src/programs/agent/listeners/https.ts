import type { Finding, Tls } from "../../../contract/types.ts";
import { every } from "../../../host/linux/timers.ts";
import type { HttpsContext, HttpsDecisions, HttpsPlace, OpenedHttps } from "./open-https.ts";

/** HTTPS on the LAN. While it is off, none of its code is loaded. */
export type Https = ReturnType<typeof createHttps>;

/** Seconds between two checks of the certificate, and of a port that was not free. */
const lookSeconds = 60;

export function createHttps(place: HttpsPlace, decisions: HttpsDecisions) {
  let present = decisions;
  let context: HttpsContext | undefined;
  let opened: OpenedHttps | undefined;
  const load = async (): Promise<OpenedHttps> => {
    if (opened !== undefined) return opened;
    const { openHttps } = await import("./open-https.ts");
    opened ??= openHttps(place);
    return opened;
  };
  const apply = async (): Promise<void> => {
    if (context === undefined || (!present.enabled && opened === undefined)) return;
    await (await load()).apply(present, context);
  };
  // One after the other: a reload may come while the certificate is made.
  let last = Promise.resolve();
  const applied = (): Promise<void> => {
    last = last.then(apply);
    return last;
  };
  /** Also where only a proxy leads to this device. No start waits for a daemon, which may hang, and no reload for a silent LAN. */
  const lookAgain = async (): Promise<void> => {
    await lookFor(place, present);
    void place.lanNames.seek();
    return applied();
  };
  let stopLooks = (): void => undefined;
  return {
    status: async (): Promise<Tls> => {
      if (!present.enabled) return off(place, present);
      if (context === undefined) await lookFor(place, present).then(place.lanNames.seek);
      return (await load()).status(present);
    },
    /** Null: all is well, or it is off. */
    trouble: (): Finding | null => (present.enabled ? (opened?.trouble() ?? null) : null),
    /** The end of the certificate that is shown; null: there is none, or HTTPS is off. */
    certificateEnd: (): Date | null => (present.enabled ? (opened?.certificateEnd() ?? null) : null),
    /** Begins to listen as the host file says. Never throws: loopback and the socket do not depend on it. */
    open: (next: HttpsContext): Promise<void> => {
      context = next;
      stopLooks = every(lookSeconds, () => void lookAgain(), place.time.timers);
      void lookAgain();
      return applied();
    },
    /** Applies these decisions, and reads the certificates again. Never throws. */
    reload: (next: HttpsDecisions): Promise<void> => {
      present = next;
      return lookAgain();
    },
    stop: async (milliseconds: number): Promise<void> => {
      stopLooks();
      context = undefined;
      await last;
      await opened?.stop(milliseconds);
    },
  };
}

function lookFor({ lanNames }: HttpsPlace, { names }: HttpsDecisions): Promise<void> {
  return lanNames.look(names()[0] ?? "");
}

function off({ helper }: HttpsPlace, { isDecided }: HttpsDecisions): Tls {
  const isThere = helper.mayBeAsked && helper.absence() === null;
  return {
    enabled: false,
    enabling: isDecided ? "decided" : isThere ? "open" : "unavailable",
    listening: false,
    urls: [],
    redirects_from: null,
    problem: null,
    certificate: null,
    refused: [],
  };
}

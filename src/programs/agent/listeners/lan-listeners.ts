import { isDeepStrictEqual } from "node:util";
import type { Shown } from "../../../certificates/certificates.ts";
import type { HostTime } from "../../../host/host.ts";
import type { BoundBuffers } from "../../../host/ports.ts";
import type { RequestListener } from "../../../http/wire/connections.ts";
import { type HttpsListener, listenHttps } from "../../../http/wire/https-listener.ts";
import type { Listener } from "../../../http/wire/listeners.ts";
import { listenRedirect } from "../../../http/wire/redirect-listener.ts";
import type { Log } from "../../../journal/logs/log.ts";
import type { HttpsDecisions } from "../../host-file/decisions.ts";

export interface Application {
  readonly handle: RequestListener;
  readonly isOurHost: (host: string | undefined) => boolean;
}

export interface LanPlace {
  readonly log: Log;
  readonly time: Pick<HostTime, "wall">;
  readonly boundBuffers: BoundBuffers;
}

/** Milliseconds for requests in flight on a listener that moves. */
const stopMilliseconds = 4_000;

/**
 * Seconds of a year, the least that is useful (OWASP ASVS 3.4.1). Subdomains are left out: they may be other devices.
 */
const onlyHttps = ["Strict-Transport-Security", "max-age=31536000"] as const;

export function createLanListeners({ log, time, boundBuffers }: LanPlace) {
  let at: object | undefined;
  let shows: Shown | undefined;
  let https: HttpsListener | undefined;
  let redirect: Listener | undefined;
  let isStrict = false;
  const close = async (milliseconds: number): Promise<void> => {
    const leaving = [https, redirect];
    at = https = redirect = undefined;
    await Promise.all(leaving.map((listener) => listener?.stop(milliseconds)));
  };
  const surroundings = { now: () => new Date(time.wall()), boundBuffers };
  return {
    isListening: (): boolean => https !== undefined,
    close,
    /**
     * Listens as planned, and shows this certificate; a listener that is already there continues. Throws if it cannot.
     */
    bring: async (
      { address, port, redirectPort, hsts }: HttpsDecisions,
      shown: Shown,
      { handle, isOurHost }: Application,
    ): Promise<void> => {
      const place = { address, port, redirectPort };
      // With a certificate of the device's own, a browser with this header would let no person in.
      isStrict = hsts && shown.installed !== null;
      if (!isDeepStrictEqual(at, place)) await close(stopMilliseconds);
      at = place;
      if (https === undefined) {
        const strictly: RequestListener = (request, response) => {
          if (isStrict) response.setHeader(...onlyHttps);
          return handle(request, response);
        };
        https = await listenHttps(strictly, { address, port }, shown, surroundings);
        const { fingerprint } = shown.facts;
        log("notice", "listening on the LAN", { address: https.address, fingerprint });
      } else if (shown !== shows) https.show(shown);
      shows = shown;
      if (redirectPort === null || redirect !== undefined) return;
      const leading = { httpsPort: port, isOurHost, ...surroundings };
      redirect = await listenRedirect({ address, port: redirectPort }, leading);
    },
  };
}

import { join } from "node:path";
import { certificateTrouble } from "../../../certificates/certificate-trouble.ts";
import { type Certificates, createCertificates, type Shown } from "../../../certificates/certificates.ts";
import { lastingAddresses } from "../../../certificates/facts.ts";
import { createSelfMade } from "../../../certificates/self-made.ts";
import { messageOf } from "../../../contract/errors.ts";
import { finding, line } from "../../../contract/finding.ts";
import type { Finding, Tls } from "../../../contract/types.ts";
import type { HostTime } from "../../../host/host.ts";
import { type LanNaming, labelOf, usualLanName } from "../../../host/lan-names.ts";
import { readInstalledPairs } from "../../../host/linux/certificates/installed-pairs.ts";
import { createSignOwn } from "../../../host/linux/certificates/self-signed.ts";
import type { RootHelper, RunCommand } from "../../../host/ports.ts";
import type { EventFacts } from "../../../journal/events/event.ts";
import type { HostDecisions } from "../../host-file/host-file.ts";
import { type Application, createLanListeners, type LanPlace } from "./lan-listeners.ts";
import { reachedBy } from "./own-names.ts";

export type HttpsDecisions = HostDecisions["https"] & {
  /** The device's own names now, the first its host name. */
  readonly names: () => readonly string[];
};

/** The parts of a running agent that the listener needs. */
export interface HttpsContext extends Application {
  /** The present as far as it is known. */
  readonly now: () => Date;
  /** A time no later than the present. */
  readonly floor: () => Date;
  readonly record: (event: EventFacts) => void;
}

/** The surroundings of HTTPS, with or without a running agent. */
export interface HttpsPlace extends LanPlace {
  readonly stateDirectory: string;
  readonly runDirectory: string;
  readonly run: RunCommand;
  readonly time: HostTime;
  readonly lanNames: LanNaming;
  readonly helper: Pick<RootHelper, "mayBeAsked" | "absence">;
}

export type OpenedHttps = ReturnType<typeof openHttps>;

/** Milliseconds for requests in flight when HTTPS is switched off. */
const stopMilliseconds = 4_000;

export function openHttps(place: HttpsPlace) {
  let context: HttpsContext | undefined;
  let decisions: HttpsDecisions | undefined;
  let problem: string | null = null;
  const listeners = createLanListeners(place);
  const certificates = openCertificates(place, () => ({ decisions, context }));
  const bring = async (as: HttpsDecisions, on: HttpsContext): Promise<void> => {
    if (!as.enabled) return listeners.close(stopMilliseconds);
    // If a certificate cannot be made, the present one stays.
    const failure = await certificates.read().then(() => undefined, messageOf);
    const shown = certificates.present();
    if (shown !== null) await listeners.bring(as, shown, on);
    if (failure !== undefined) throw new Error(failure);
  };
  return {
    apply: async (next: HttpsDecisions, on: HttpsContext): Promise<void> => {
      [decisions, context] = [next, on];
      const found = await bring(next, on).then(() => null, messageOf);
      if (found !== null && found !== problem) place.log("error", "HTTPS does not work", { detail: found });
      problem = found;
    },
    status: async (as: HttpsDecisions): Promise<Tls> => {
      // A command while no agent runs: it only looks.
      if (context === undefined) {
        decisions = as;
        await certificates.read();
      }
      return statusOf(as, { certificates, problem, isListening: listeners.isListening() });
    },
    trouble: (): Finding | null => {
      if (problem !== null) return finding("https_unavailable", {}, problem);
      const directory = decisions?.directory ?? "";
      const wall = new Date(place.time.wall());
      const passed = context?.now() ?? wall;
      // As long as the clock is not trusted, the time that has certainly passed may be years behind.
      const times = { passed, now: passed > wall ? passed : wall };
      return certificateTrouble(certificates, directory, times) ?? nameTrouble(place, decisions);
    },
    /** The end of the certificate that is shown; null: there is none. */
    certificateEnd: (): Date | null => certificates.present()?.facts.notAfter ?? null,
    stop: listeners.close,
  };
}

interface Present {
  readonly decisions: HttpsDecisions | undefined;
  readonly context: HttpsContext | undefined;
}

function openCertificates(place: HttpsPlace, present: () => Present): Certificates {
  const { stateDirectory, runDirectory, run, log } = place;
  const { uptime } = place.time;
  const time = (which: "now" | "floor") => () => present().context?.[which]() ?? new Date(0);
  const readOwn = createSelfMade({
    directory: join(stateDirectory, "tls"),
    signOwn: createSignOwn(run, runDirectory),
    wanted: () => wantedOf(place, present().decisions),
    mayMake: () => present().context !== undefined,
    now: time("now"),
    floor: time("floor"),
    uptime,
    log,
  });
  return createCertificates(
    async () => {
      const { decisions } = present();
      return decisions === undefined ? [] : readInstalledPairs(decisions.directory, decisions);
    },
    readOwn,
    log,
    (event) => present().context?.record(event),
  );
}

/** HTTPS is reached by these on the device itself. */
const loopback = { names: ["localhost"], addresses: ["127.0.0.1", "::1"] } as const;

function wantedOf({ lanNames }: HttpsPlace, decisions: HttpsDecisions | undefined) {
  const { names = () => [], address = null } = decisions ?? {};
  const [hostname = "", ...others] = names();
  // Also the usual one, which may be ours again at any time, as before the daemon has started.
  const usual = usualLanName(hostname);
  const given = lanNames.present().own.filter((name) => name !== usual);
  const lasting = [hostname, usual, ...others, ...loopback.names].filter((name) => !given.includes(name));
  const reached = reachedBy(lasting, address);
  const addresses = [...reached.addresses, ...loopback.addresses];
  return { names: reached.names, lanNames: reachedBy(given, null).names, addresses };
}

/** Another device has the name by which this one would be found. */
function nameTrouble({ lanNames }: HttpsPlace, decisions: HttpsDecisions | undefined): Finding | null {
  const { own, taken } = lanNames.present();
  const [name = ""] = own;
  // The host may have been renamed since the last look.
  if (taken === null || taken !== usualLanName(decisions?.names()[0] ?? "")) return null;
  const typed = `steward system host-name ${labelOf(name)}`;
  const particulars = `There this one is ${name}. To keep that name, or another: \`${typed}\`.`;
  return finding("https_name_taken", { address: taken }, particulars, line(typed));
}

function statusOf(
  as: HttpsDecisions,
  found: { certificates: Certificates; problem: string | null; isListening: boolean },
): Tls {
  const shown = found.certificates.present();
  return {
    enabled: true,
    enabling: "decided",
    listening: found.isListening,
    urls: shown === null ? [] : urlsOf(shown, as),
    redirects_from: as.redirectPort,
    problem: found.problem,
    certificate: shown && certificateOf(shown),
    refused: found.certificates.refused().map(({ name, detail }) => ({ name, detail })),
  };
}

/** The addresses, without those that only the device itself can reach. */
function urlsOf({ facts }: Shown, { port, address, names }: HttpsDecisions): string[] {
  const own = reachedBy(names(), address);
  const named = facts.names.filter((name) => own.names.includes(name.toLowerCase()));
  return [...named, ...lastingAddresses(own.addresses)].map((one) => {
    const host = one.includes(":") ? `[${one}]` : one;
    return `https://${host}${port === 443 ? "" : `:${port}`}`;
  });
}

function certificateOf({ installed, certificate, facts }: Shown): Tls["certificate"] {
  const { subject, issuer, names, addresses, notBefore, notAfter, fingerprint, keyPin } = facts;
  return {
    source: installed === null ? "self_made" : "installed",
    installed,
    subject,
    issuer,
    names: [...names],
    addresses: [...addresses],
    not_before: notBefore.toISOString(),
    not_after: notAfter.toISOString(),
    pem: certificate,
    fingerprint,
    public_key_pin: keyPin,
  };
}

import type { KeyExchanges, NtsKeys } from "../../host/nts-ports.ts";
import { AddressWalk } from "../ntp/address-walk.ts";
import { type NtpTarget, resolveServer, type ServerResolution } from "../ntp/resolve-server.ts";
import type { Association } from "../ntp/source.ts";
import { mostCookies } from "./key-exchange-messages.ts";
import { protect } from "./protected-packets.ts";

export interface AssociationOptions extends ServerResolution {
  readonly exchangeKeys: KeyExchanges["exchange"];
  /** Seconds. */
  readonly monotonic: () => number;
  /** Bytes of a cryptographic source, new at each call. */
  readonly random: (bytes: number) => Uint8Array;
}

/** Seconds after which the keys are renewed, so that a server whose certificate was withdrawn does not count for ever. */
const keysLifeSeconds = 7 * 86_400;

/** Seconds for which keys are used at most, while the network keeps them from being renewed. */
const mostKeysLifeSeconds = 2 * keysLifeSeconds;

/** The failures of a key exchange that say nothing against the server. */
const networkFailures = [
  "nts_unreachable",
  "nts_closed",
  "nts_no_answer",
  "name_not_found",
  "name_not_answered",
  "no_address",
];

/** Seconds between two key exchanges that fail: the first wait, what each failure multiplies it by, and the most. */
const firstWaitSeconds = 10;
const waitGrowth = 1.5;
const mostWaitSeconds = 3_600;

/** Addresses of a name that are asked for keys in one attempt, each of which may take seconds; the next goes on from there. */
const mostAddresses = 3;

type TargetKeys = NtsKeys & NtpTarget;

interface HeldKeys extends TargetKeys {
  readonly sinceSeconds: number;
  /** The dates of the certificates were not judged, because the time was not known. */
  readonly isProvisional: boolean;
}

/**
 * The keys and cookies of one source (RFC 8915). A cookie is used once; when none is left, because replies are lost or
 * the server does not know the cookies any more, the keys are exchanged again, with waits that grow (§5.7).
 */
export class NtsAssociation implements Association {
  readonly #server: NtpTarget;
  readonly #options: AssociationOptions;
  readonly #walk = new AddressWalk();
  #keys: HeldKeys | null = null;
  #cookies: Uint8Array[] = [];
  #failure: string | null = null;
  #failures = 0;
  #nextAt = Number.NEGATIVE_INFINITY;

  /** `server`: host and port of the key exchange. */
  constructor(server: NtpTarget, options: AssociationOptions) {
    this.#server = server;
    this.#options = options;
  }

  async target({ isAsked }: { isAsked: boolean }): Promise<NtpTarget | { readonly failure: string }> {
    const now = this.#options.monotonic();
    const fresh = this.#usableKeys(keysLifeSeconds);
    if (fresh) return fresh;
    if (this.#failure === null || now >= this.#nextAt || isAsked) await this.#exchange(null);
    return this.#usableKeys(mostKeysLifeSeconds) ?? { failure: this.#failure ?? "nts_not_offered" };
  }

  isProvisional(): boolean {
    return this.#keys?.isProvisional === true;
  }

  async confirm(atSeconds: number): Promise<{ readonly failure: string } | null> {
    return this.#exchange(atSeconds);
  }

  seal = (request: Uint8Array) => {
    const cookie = this.#cookies.shift();
    if (!this.#keys || !cookie) throw new Error("a request is sealed after a key exchange");
    const { random } = this.#options;
    const { c2s, s2c } = this.#keys;
    // The cookie that is used is replaced without asking; each placeholder asks for one more.
    const placeholders = mostCookies - 1 - this.#cookies.length;
    const sealed = protect(request, { cookie, c2s, s2c, placeholders, random });
    const keys = this.#keys;
    return {
      packet: sealed.packet,
      open: (reply: Uint8Array) => {
        const opened = sealed.open(reply);
        // A late reply to a request under former keys brings cookies that do not fit the present ones.
        const isPresent = typeof opened !== "string" && this.#keys === keys;
        if (isPresent) this.#cookies = [...this.#cookies, ...sealed.cookies()].slice(0, mostCookies);
        return opened;
      },
    };
  };

  /** The server no longer takes the cookies: the next request begins with a key exchange. */
  refused(): void {
    this.#cookies = [];
  }

  /** null: there are new keys. */
  async #exchange(atSeconds: number | null): Promise<{ readonly failure: string } | null> {
    const outcome = await this.#ask(atSeconds);
    const now = this.#options.monotonic();
    if ("failure" in outcome) {
      const waitSeconds = Math.min(mostWaitSeconds, firstWaitSeconds * waitGrowth ** this.#failures);
      this.#failures += 1;
      this.#nextAt = now + waitSeconds;
      this.#failure = outcome.failure;
      const [code = ""] = outcome.failure.split(" ");
      if (this.#keys?.isProvisional !== false || !networkFailures.includes(code))
        [this.#keys, this.#cookies] = [null, []];
      return { failure: outcome.failure };
    }
    this.#failures = 0;
    this.#failure = null;
    this.#keys = { ...outcome.keys, sinceSeconds: now, isProvisional: atSeconds === null };
    this.#cookies = [...outcome.keys.cookies].slice(0, mostCookies);
    return null;
  }

  /** Keys younger than this, with a cookie for the next request; null: there are none. */
  #usableKeys(lifeSeconds: number): HeldKeys | null {
    const age = this.#options.monotonic() - (this.#keys?.sinceSeconds ?? Number.NEGATIVE_INFINITY);
    return age < lifeSeconds && this.#cookies.length > 0 ? this.#keys : null;
  }

  /** Asks the addresses of the name in turn until one gives keys. */
  async #ask(atSeconds: number | null): Promise<{ keys: TargetKeys } | { failure: string }> {
    const { host, port, isForeign = false } = this.#server;
    const { exchangeKeys, monotonic } = this.#options;
    const addresses = await resolveServer(this.#options, this.#server);
    if ("failure" in addresses) return addresses;
    let failure = "no_address";
    for (const address of this.#walk.inTurn(addresses).slice(0, mostAddresses)) {
      const outcome = await exchangeKeys({ host, address: { address, port }, atSeconds });
      if (outcome.kind === "failed") {
        ({ failure } = outcome);
        this.#walk.failed(address, monotonic());
      } else {
        this.#walk.answered(address, monotonic());
        // RFC 8915 §4.1.7 lets the server name any other host, also one that only this device reaches.
        const isOther = ![host, address].includes(outcome.keys.host);
        return { keys: { ...outcome.keys, isForeign: isForeign || isOther } };
      }
    }
    return { failure };
  }
}

import { copyFileSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Authority, createAuthority } from "../../host/certificates.ts";
import type { Guest } from "../../machines/guest/vocabulary.ts";
import type { TieredScenario } from "../../machines/scenario.ts";
import { clockStatus, in1970, timeSettings, untilStatus } from "./clock-scenario.ts";

const caDirectory = "/etc/steward/time-authorities";

/** Five names, whose servers are on this computer; the attacker answers for the last three at first. */
const names = [1, 2, 3, 4, 5].map((number) => `ntp${number}.example`);

/** The NTP port and that of the key exchange of a server, by its number from 0. */
const portOf = (index: number) => 11_123 + index;
const keyExchangePortOf = (index: number) => 14_460 + index;

let authorities: { honest: Authority; foreign: Authority } | null = null;

/** Made at first use, on the host only: the guest has the certificate of the honest one. */
function authority(kind: "honest" | "foreign"): Authority {
  const made = () => createAuthority(mkdtempSync(join(tmpdir(), "time-authority-")));
  authorities ??= { honest: made(), foreign: made() };
  return authorities[kind];
}

/** Certificates of 90 days, as public authorities sign them: at 1970 none is valid yet, at 2038 none any more. */
const days = (count: number) =>
  new Date(Date.now() + count * 86_400_000).toISOString().replace(/\D/g, "").slice(0, 14);
const validity = { from: `${days(-30)}Z`, until: `${days(60)}Z` };

const server = (index: number, kind: "honest" | "foreign") => ({
  port: portOf(index),
  // The attacker shows another time than the right one and than the machine's.
  ...(kind === "foreign" ? { fakeTime: "+40d" } : {}),
  nts: {
    port: keyExchangePortOf(index),
    certificate: () => authority(kind).certify(names[index] ?? "", validity),
  },
});

/**
 * DNS and the network are an attacker's, who lets the device reach two of five servers and answers for the others, with
 * certificates for the right names by an authority that the device does not know. Then a third server is reached.
 */
export const scenario: TieredScenario = {
  title: "in 1970 and in 2038, two honest NTS servers of five give no time, and three the right one",
  tiers: { vm: {} },
  timeoutSeconds: 900,
  servers: names.map((_, index) => server(index, index < 2 ? "honest" : "foreign")),
  files: {
    ...timeSettings({
      servers: names.map((name, index) => ({ host: `${name}:${keyExchangePortOf(index)}`, nts: true })),
      authenticated_only: true,
    }),
    "/etc/hosts": ["127.0.0.1 localhost", ...names.map((name) => `10.0.2.2 ${name}`), ""].join("\n"),
    "/etc/steward/steward.json": `${JSON.stringify({ time: { ca_file: `${caDirectory}/authority.pem` } })}\n`,
  },
  folders: {
    [caDirectory]: (directory) => copyFileSync(authority("honest").path, join(directory, "authority.pem")),
  },
  asks: {
    "let the device reach a third server": ({ servers }) => servers.start(server(2, "honest")),
    "answer for it again": ({ servers }) => servers.start(server(2, "foreign")),
  },
  boots: [
    { rtc: in1970, run: heldThenReached },
    { rtc: "2038-02-01T00:00:00", run: heldThenReached },
  ],
};

async function heldThenReached(guest: Guest): Promise<void> {
  await guest.stewardAnswers();
  const isTooFew = ({ summary }: { summary: { code: string } }) => summary.code === "too_few_authenticated";
  const held = await untilStatus(guest, "two of five are no majority", 120, isTooFew);
  guest.check("the trust is none", held.trust === "none" && held.authenticated === false, held);
  // Not all at once: under emulation a handshake can take longer than chronyd waits for it.
  const isForeign = ({ reason }: { reason: { code: string } | null }) =>
    reason?.code === "nts_unknown_authority";
  const areRefused = ({ sources }: { sources: [] }) => sources.filter(isForeign).length === 3;
  await untilStatus(guest, "the attacker's three are refused for their authority", 120, areRefused);
  await guest.types("steward time sync", { status: "fails" });
  const { trust } = await clockStatus(guest);
  guest.check("and the trust is still none", trust === "none", trust);
  await guest.ask("let the device reach a third server");
  await guest.steward("time", "sync");
  const isTrusted = (status: { trust: string; authenticated: boolean }) =>
    status.trust === "trusted" && status.authenticated;
  await untilStatus(guest, "trusted, authenticated", 120, isTrusted);
  const { medianSeconds } = await guest.clock.error(11_123, 3);
  guest.check("the machine's clock is right", Math.abs(medianSeconds) < 0.05, medianSeconds);
  await guest.types("steward time status", { says: "authenticated" });
  await guest.ask("answer for it again");
}

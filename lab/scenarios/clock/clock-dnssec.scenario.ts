import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Guest } from "../../machines/guest/vocabulary.ts";
import { type SignedZone, signZone } from "../../machines/host/signed-zone.ts";
import type { TieredScenario } from "../../machines/scenario.ts";
import { in1970, timeSettings, trusted, untilStatus } from "./clock-scenario.ts";

const ports = [11_123, 11_124, 11_125];
const names = ports.map((port) => `ntp${port - 11_122}.example`);

/** Days from the host's: later than the day on which Steward was built, which the agent goes by in 1970. */
const signedFromDays = 300;
const serversDays = 301;
const day = 86_400;

let signed: SignedZone | null = null;

/** Made at first use, on the host only. */
function zone(): SignedZone {
  const now = Math.floor(Date.now() / 1_000);
  signed ??= signZone(
    "example",
    names.map((name) => `${name}. IN A 10.0.2.2`),
    { from: now + signedFromDays * day, until: now + (signedFromDays + 30) * day },
  );
  return signed;
}

/** A device without a battery whose resolver believes only signatures, which are valid from a day that it does not know yet. */
export const scenario: TieredScenario = {
  title: "a boot in 1970 with systemd-resolved and DNSSEC=yes reaches the right time, or says why not",
  tiers: { vm: {} },
  timeoutSeconds: 600,
  servers: ports.map((port) => ({ port, fakeTime: `+${serversDays}d` })),
  files: {
    ...timeSettings({ servers: names.map((name, index) => `${name}:${ports[index]}`) }),
    "/etc/systemd/resolved.conf.d/dnssec.conf": "[Resolve]\nDNS=10.0.2.2\nDNSSEC=yes\nDomains=~.\n",
    "/etc/resolv.conf": "nameserver 127.0.0.53\noptions edns0 trust-ad\n",
  },
  folders: {
    "/etc/dnssec-trust-anchors.d": (directory) =>
      writeFileSync(join(directory, "example.positive"), zone().anchor),
  },
  asks: {
    "serve the signed zone": () => {
      zone().serve();
    },
  },
  boots: [
    { rtc: in1970, units: [], run: throughTheLibrary },
    { rtc: in1970, units: [], run: throughTheStub },
  ],
};

/** nss-resolve, as Debian installs it beside systemd-resolved: a program can have names that were not validated. */
async function throughTheLibrary(guest: Guest): Promise<void> {
  await guest.ask("serve the signed zone");
  await guest.types("sed -i 's/^hosts:.*/hosts: files resolve [!UNAVAIL=return] dns/' /etc/nsswitch.conf");
  await refusedByResolved(guest);
  await trusted(guest);
  await guest.types("resolvectl query ntp1.example", { what: "then resolved believes the signatures" });
}

/** Only the stub at 127.0.0.53, which every program asks alike. */
async function throughTheStub(guest: Guest): Promise<void> {
  await refusedByResolved(guest);
  await guest.types("systemctl start --no-block steward");
  await guest.stewardAnswers();
  const isSaid = ({ reason }: { reason: { code: string } | null }) => reason?.code === "name_not_answered";
  const status = await untilStatus(guest, "it says why not", 60, ({ sources }) => sources.every(isSaid));
  guest.check("the trust is none", status.trust === "none", status.summary);
  guest.note(status.sources[0].reason.detail);
  await guest.types("steward time status", { status: 9, says: "DNSSEC" });
}

const refusedByResolved = (guest: Guest) =>
  guest.types("systemctl start systemd-resolved; ! resolvectl query ntp1.example", {
    what: "resolved refuses the name for its signature",
  });

import { readFileSync, writeFileSync } from "node:fs";
import type { Guest } from "../../machines/guest/vocabulary.ts";
import { type TieredScenario, walk } from "../../machines/scenario.ts";
import { device, lan, otherBox } from "./neighbour.ts";

const own = "/var/lib/steward/tls/certificate.pem";
const config = "/etc/avahi/avahi-daemon.conf";

/**
 * Two boxes of one image, both called the same, on one LAN. Avahi renames the second one; the first is a second Avahi, in
 * a network namespace.
 */
export const scenario: TieredScenario = {
  title: "names on the LAN: the second box of a name, a name of Avahi's own, and a LAN without IPv4",
  tiers: { container: {} },
  timeoutSeconds: 400,
  boots: [
    {
      run: walk(lan, async (guest) => {
        const name = readFileSync("/proc/sys/kernel/hostname", "utf8").trim();
        const renamed = await otherBox(guest, name);
        await answered(guest, name, renamed);
        await foreign(guest, name, renamed);
        await ofAvahisOwn(guest, name);
        await withoutV4(guest);
      }),
    },
  ],
};

/** A request by this name, with the device's certificate as the only authority. */
const ask = (host: string, options = "", path = "/api/version") =>
  `curl -sS --include --cacert ${own} --resolve ${host}:8443:${device} ${options} https://${host}:8443${path}`;
const answers = { says: '"steward"' };

async function answered(guest: Guest, name: string, renamed: string): Promise<void> {
  const taken = `has the name ${name}.local`;
  const printed = await guest.types("steward tls enable", { says: [`https://${renamed}:8443`, taken] });
  guest.check("not the other box's address", !printed.includes(`https://${name}.local`), printed);
  await guest.becomes(`avahi-browse -rpt _https._tcp | grep ^= | grep -F ${device}`, 30, {
    says: `;${renamed};`,
    what: "a neighbour finds its announcement, which leads to the same name",
  });
  await guest.types(ask(renamed), { ...answers, what: "its certificate is for that name" });
  await guest.types("steward tls show", { says: [renamed, taken] });
  const { needs } = await guest.api("/api/status");
  const need = needs.find(({ code }: { code: string }) => code === "https");
  guest.check("it is a need", need?.facts.reason === "https_name_taken", needs);
}

/** DNS rebinding: a name is ours because the LAN has it so, and not because it looks like one of ours. */
async function foreign(guest: Guest, name: string, renamed: string): Promise<void> {
  for (const host of [`${name}.local`, `${name}-9.local`, "evil.example"])
    await guest.types(ask(host, "--insecure"), {
      says: /^HTTP\/1.1 421 [\s\S]*application\/problem\+json[\s\S]*"misdirected_request"/,
    });
  const page = await guest.types(
    ask("evil.example", "--insecure --header 'Accept: text/html,*/*;q=0.8'", "/"),
    {
      says: [
        /^HTTP\/1.1 421 [\s\S]*text\/html/,
        ...[renamed, device].map((host) => `href="https://${host}:8443/"`),
        "/etc/steward/steward.json",
      ],
      what: "a browser gets a page with the names to use",
    },
  );
  const isIts = !page.includes("<script") && !page.includes(`${name}.local`);
  guest.check("without a script, and without the other box", isIts, page);
}

/** avahi-daemon.conf(5): host-name and domain-name; a name may change at any time. */
async function ofAvahisOwn(guest: Guest, name: string): Promise<void> {
  writeFileSync(config, "[server]\nhost-name=pump-7\ndomain-name=plant\nallow-interfaces=lan0\n");
  await guest.types("systemctl stop other-box; systemctl restart avahi-daemon");
  await guest.becomes(ask("pump-7.plant"), 90, answers);
  const shown = await guest.types("steward tls show", { says: "https://pump-7.plant:8443" });
  guest.check("and no other device has one of ours", !/has the name/.test(shown), shown);
  await guest.types(`hostname ${name}.example.net`);
  await guest.restarts();
  await guest.types(ask(name, "--insecure"), {
    ...answers,
    what: "the first label of a long name is answered",
  });
}

async function withoutV4(guest: Guest): Promise<void> {
  await guest.types(`for link in $(ls /sys/class/net); do ip -4 addr flush dev $link; done
ip addr add 127.0.0.1/8 dev lo; ip -6 addr add fd00:db8::7/64 dev lan0 nodad
ip -n neighbour -6 addr add fd00:db8::8/64 dev lan1 nodad`);
  await guest.restarts();
  const url = "https://[fd00:db8::7]:8443";
  await guest.types("steward tls show", { says: url });
  const curl = `ip netns exec neighbour curl -sS --globoff --cacert ${own} ${url}/api/version`;
  await guest.types(curl, { says: '"steward"', what: "which is answered, and in the certificate" });
}

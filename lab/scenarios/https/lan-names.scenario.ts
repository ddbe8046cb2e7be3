import { readFileSync, writeFileSync } from "node:fs";
import type { Guest } from "../../machines/guest/vocabulary.ts";
import type { TieredScenario } from "../../machines/scenario.ts";
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
      run: async (guest) => {
        await guest.stewardAnswers();
        await lan(guest);
        const name = readFileSync("/proc/sys/kernel/hostname", "utf8").trim();
        const renamed = await otherBox(guest, name);
        await answered(guest, name, renamed);
        await foreign(guest, name, renamed);
        await ofAvahisOwn(guest, name);
        await withoutV4(guest);
      },
    },
  ],
};

/** A request by this name, with the device's certificate as the only authority. */
const ask = (guest: Guest, host: string, ...args: readonly string[]) =>
  asked(guest, host, "/api/version", args);

const asked = (guest: Guest, host: string, path: string, args: readonly string[]) =>
  guest.run("curl", [
    ...["--silent", "--show-error", "--include", "--cacert", own],
    ...["--resolve", `${host}:8443:${device}`, ...args, `https://${host}:8443${path}`],
  ]);

async function answered(guest: Guest, name: string, renamed: string): Promise<void> {
  const printed = await guest.types("steward tls enable", {
    says: [`https://${renamed}:8443`, `has the name ${name}.local`],
  });
  guest.check(
    "the address is not that of the other box",
    !printed.includes(`https://${name}.local`),
    printed,
  );
  const seen = await guest.until("a neighbour finds its announcement", 30, async () => {
    const { stdout } = await guest.run("avahi-browse", ["-rpt", "_https._tcp"]);
    return stdout.split("\n").find((line) => line.startsWith("=") && line.includes(device));
  });
  guest.check("which leads to the same name", seen.includes(`;${renamed};`), seen);
  const answer = await ask(guest, renamed);
  guest.check("it is answered, and its certificate is for it", answer.stdout.includes('"steward"'), answer);
  await guest.types("steward tls show", { says: [renamed, `has the name ${name}.local`] });
  const { needs } = await guest.api("/api/status");
  const need = needs.find(({ code }: { code: string }) => code === "https");
  guest.check("it is a need", need?.facts.reason === "https_name_taken", needs);
}

/** DNS rebinding: a name is ours because the LAN has it so, and not because it looks like one of ours. */
async function foreign(guest: Guest, name: string, renamed: string): Promise<void> {
  for (const host of [`${name}.local`, `${name}-9.local`, "evil.example"]) {
    const { stdout } = await ask(guest, host, "--insecure");
    const isProblem = /^HTTP\/1.1 421 [\s\S]*application\/problem\+json[\s\S]*"misdirected_request"/;
    guest.check(`${host} is answered 421`, isProblem.test(stdout), stdout);
  }
  const html = ["--insecure", "--header", "Accept: text/html,*/*;q=0.8"];
  const { stdout } = await asked(guest, "evil.example", "/", html);
  const hrefs = [renamed, device].map((host) => `href="https://${host}:8443/"`);
  const isPage = /^HTTP\/1.1 421 [\s\S]*text\/html/.test(stdout) && !stdout.includes("<script");
  const isTold = [...hrefs, "/etc/steward/steward.json"].every((text) => stdout.includes(text));
  guest.check("a browser gets a page with the names to use", isPage && isTold, stdout);
  guest.check("and not the other box", !stdout.includes(`${name}.local`), stdout);
}

/** avahi-daemon.conf(5): host-name and domain-name; a name may change at any time. */
async function ofAvahisOwn(guest: Guest, name: string): Promise<void> {
  writeFileSync(config, "[server]\nhost-name=pump-7\ndomain-name=plant\nallow-interfaces=lan0\n");
  await guest.types("systemctl stop other-box; systemctl restart avahi-daemon");
  const answer = await guest.until("a name that Avahi was given is answered", 90, async () => {
    const found = await ask(guest, "pump-7.plant");
    return found.stdout.includes('"steward"') && found;
  });
  guest.check("with its certificate", answer.status === 0, answer);
  const shown = await guest.types("steward tls show", { says: "https://pump-7.plant:8443" });
  guest.check("and no other device has one of ours", !/has the name/.test(shown), shown);
  await guest.types(`hostname ${name}.example.net`);
  await guest.restarts();
  const short = await ask(guest, name, "--insecure");
  guest.check("the first label of a long name is answered", short.stdout.includes('"steward"'), short);
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

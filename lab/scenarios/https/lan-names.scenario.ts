import { readFileSync, writeFileSync } from "node:fs";
import type { Guest } from "../../machines/guest/vocabulary.ts";
import type { TieredScenario } from "../../machines/scenario.ts";
import { device, inNeighbour, lan, otherBox } from "./neighbour.ts";

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
        await reported(guest, name, renamed);
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
  const enabled = await guest.steward("tls", "enable");
  guest.check("HTTPS is switched on", enabled.status === 0, enabled);
  const printed = enabled.stderr;
  guest.check(
    "its address has the name that Avahi has",
    printed.includes(`https://${renamed}:8443`),
    printed,
  );
  guest.check("and not that of the other box", !printed.includes(`https://${name}.local`), printed);
  guest.check(
    "it says that another device has the name",
    printed.includes(`has the name ${name}.local`),
    printed,
  );
  const seen = await guest.until("a neighbour finds its announcement", 30, async () => {
    const { stdout } = await guest.run("avahi-browse", ["-rpt", "_https._tcp"]);
    return stdout.split("\n").find((line) => line.startsWith("=") && line.includes(device));
  });
  guest.check("which leads to the same name", seen.includes(`;${renamed};`), seen);
  const answer = await ask(guest, renamed);
  guest.check("it is answered, and its certificate is for it", answer.stdout.includes('"steward"'), answer);
}

/** DNS rebinding: a name is ours because the LAN has it so, and not because it looks like one of ours. */
async function foreign(guest: Guest, name: string, renamed: string): Promise<void> {
  for (const host of [`${name}.local`, `${name}-9.local`, "evil.example"]) {
    const program = await ask(guest, host, "--insecure");
    const isProblem = /^HTTP\/1.1 421 [\s\S]*application\/problem\+json[\s\S]*"misdirected_request"/.test(
      program.stdout,
    );
    guest.check(`${host} is answered 421`, isProblem, program);
  }
  const html = ["--insecure", "--header", "Accept: text/html,*/*;q=0.8"];
  const page = await asked(guest, "evil.example", "/", html);
  const isPage = /^HTTP\/1.1 421 [\s\S]*text\/html/.test(page.stdout) && !page.stdout.includes("<script");
  guest.check("a browser gets a page", isPage, page);
  guest.check("which names the ones to use", page.stdout.includes(`href="https://${renamed}:8443/"`), page);
  guest.check("and not the other box", !page.stdout.includes(`${name}.local`), page);
  guest.check("and the address", page.stdout.includes(`href="https://${device}:8443/"`), page);
  guest.check("and what an administrator does", page.stdout.includes("/etc/steward/steward.json"), page);
}

async function reported(guest: Guest, name: string, renamed: string): Promise<void> {
  const shown = await guest.steward("tls", "show");
  const isShown = shown.stdout.includes(renamed) && shown.stderr.includes(`has the name ${name}.local`);
  guest.check("tls show says the same", isShown, shown);
  const { needs } = await guest.api("/api/status");
  const need = needs.find(({ code }: { code: string }) => code === "https");
  guest.check("it is a need", need?.facts.reason === "https_name_taken", needs);
  const mine = await inNeighbour(
    guest,
    "curl",
    "--silent",
    "--insecure",
    `https://${device}:8443/api/version`,
  );
  guest.check("the neighbour reaches it by its address", mine.stdout.includes('"steward"'), mine);
}

/** avahi-daemon.conf(5): host-name and domain-name; a name may change at any time. */
async function ofAvahisOwn(guest: Guest, name: string): Promise<void> {
  await guest.run("systemctl", ["stop", "other-box.service"]);
  writeFileSync(config, "[server]\nhost-name=pump-7\ndomain-name=plant\nallow-interfaces=lan0\n");
  await guest.run("systemctl", ["restart", "avahi-daemon.service"]);
  const answer = await guest.until("a name that Avahi was given is answered", 90, async () => {
    const found = await ask(guest, "pump-7.plant");
    return found.stdout.includes('"steward"') && found;
  });
  guest.check("with its certificate", answer.status === 0, answer);
  const shown = await guest.steward("tls", "show");
  const isShown = shown.stdout.includes("https://pump-7.plant:8443") && !/has the name/.test(shown.stderr);
  guest.check("tls show prints it, and no other device has one of ours", isShown, shown);
  const steps = `hostname ${name}.example.net; systemctl restart steward.service`;
  const long = await guest.run("sh", ["-ec", steps]);
  guest.check("the host has a long name", long.status === 0, long);
  await guest.stewardAnswers();
  const short = await ask(guest, name, "--insecure");
  guest.check("its first label is answered", short.stdout.includes('"steward"'), short);
}

async function withoutV4(guest: Guest): Promise<void> {
  const steps = `for link in $(ls /sys/class/net); do ip -4 addr flush dev $link; done
ip addr add 127.0.0.1/8 dev lo
ip -6 addr add fd00:db8::7/64 dev lan0 nodad
ip -n neighbour -6 addr add fd00:db8::8/64 dev lan1 nodad
systemctl restart steward.service`;
  const ran = await guest.run("sh", ["-ec", steps]);
  guest.check("the LAN has IPv6 only", ran.status === 0, ran);
  await guest.stewardAnswers();
  const url = "https://[fd00:db8::7]:8443";
  const shown = await guest.steward("tls", "show");
  guest.check("tls show prints its address", shown.stdout.includes(url), shown);
  const args = ["--silent", "--show-error", "--globoff", "--cacert", own];
  const answer = await inNeighbour(guest, "curl", ...args, `${url}/api/version`);
  guest.check("which is answered, and in the certificate", answer.stdout.includes('"steward"'), answer);
}

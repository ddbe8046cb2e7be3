import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { giveOwnBootId } from "../../machines/container/own-boot-id.ts";
import type { Guest, Ran } from "../../machines/guest/vocabulary.ts";
import type { TieredScenario } from "../../machines/scenario.ts";
import { addUser, signIn } from "../people.ts";

/** The agent may read the logs that the host file allows, only by steward-logs. */
export const scenario: TieredScenario = {
  title: "the agent reads the logs that root allows, and has no right to the journal itself",
  tiers: { container: {} },
  timeoutSeconds: 180,
  files: {
    "/etc/steward/steward.json": JSON.stringify({
      log_units: ["nginx.service", "syslog.service", "pump@.service", "mnt-data\\x2dset.mount"],
    }),
    "/etc/systemd/system/pump@.service": "[Service]\nType=oneshot\nExecStart=echo the pump %I says so\n",
    "/etc/systemd/system/collector.service":
      "[Service]\nType=oneshot\nExecStart=echo collected\n[Install]\nAlias=syslog.service\n",
    "/etc/systemd/system/mnt-data\\x2dset.mount": "[Mount]\nWhat=tmpfs\nWhere=/mnt/data-set\nType=tmpfs\n",
    "/etc/steward/seal.key": "5e".repeat(32),
  },
  boots: [
    {
      run: async (guest) => {
        await giveOwnBootId(guest);
        await guest.stewardAnswers();
        await guest.run("systemctl", ["start", "nginx.service"]);
        await guest.run("systemd-run", ["--wait", "--unit=other", "echo", "the secret of another service"]);
        await guest.run("journalctl", ["--sync"]);
        await agentAlone(guest);
        const token = await reader(guest);
        await overApi(guest, token);
        await otherNames(guest, token);
        await overSocket(guest);
        await follows(guest);
        await confinement(guest);
      },
    },
  ],
};

const as = (user: string, ...command: readonly string[]): string[] => [
  ...[`--reuid=${user}`, `--regid=${user === "steward" ? user : "nogroup"}`, "--clear-groups", "--"],
  ...command,
];

/** An attacker who has taken over the agent reads no more than the agent could. */
async function agentAlone(guest: Guest): Promise<void> {
  const root = await guest.run("journalctl", ["--unit=other.service", "--output=cat"]);
  guest.check("root reads the other service's log", root.stdout.includes("the secret"), root);
  const all = await guest.run("setpriv", as("steward", "journalctl", "--output=cat"));
  guest.check("the user steward reads nothing in the journal", all.stdout.trim() === "", all);
  const pid = (await guest.run("systemctl", ["show", "steward", "--property=MainPID", "--value"])).stdout;
  const group = (await guest.run("getent", ["group", "systemd-journal"])).stdout.split(":")[2] ?? "?";
  const groups = /^Groups:(.*)$/m.exec(readFileSync(`/proc/${pid.trim()}/status`, "utf8"))?.[1] ?? "";
  guest.check("the agent is not in the journal's group", !groups.trim().split(/\s+/).includes(group), groups);
}

/** A readonly user's token. */
async function reader(guest: Guest): Promise<string> {
  await addUser(guest);
  await addUser(guest, "log-reader", "readonly");
  const signedIn = await signIn(guest, "log-reader");
  return String(signedIn.body.access_token);
}

async function overApi(guest: Guest, token: string): Promise<void> {
  const list = async (query: string) => guest.http(`/api/logs${query}`, { token });
  const nginx = await list("?unit=nginx.service");
  const text = JSON.stringify(nginx.body);
  guest.check("a readonly user reads nginx's log over the API", text.includes("Started nginx.service"), text);
  guest.check("from the journal", nginx.body.source === "journal", nginx.body.source);
  const own = JSON.stringify((await list("?unit=steward.service&q=listening")).body);
  guest.check("and Steward's own", own.includes('"listening"'), own);
  const all = JSON.stringify((await list("?limit=200")).body);
  guest.check("and nothing of others among all", !all.includes("the secret"), all.slice(0, 500));
  const other = await list("?unit=other.service");
  guest.check("nor by name", other.status === 422 || other.status === 400, other.body);
}

/** An alias that systemd makes, instances of a template, and a name with an escape. */
async function otherNames(guest: Guest, token: string): Promise<void> {
  await guest.run("systemctl", ["enable", "collector.service"]);
  const units = ["collector.service", "pump@hall\\x2d2.service", "mnt-data\\x2dset.mount"];
  for (const unit of units) await guest.run("systemctl", ["start", unit]);
  await guest.run("journalctl", ["--sync"]);
  const rows = [
    ["syslog.service", "collected", "collector.service"],
    ["collector.service", "collected", "collector.service"],
    ["pump@hall\\x2d2.service", "the pump hall-2 says so", "pump@hall\\x2d2.service"],
    ["mnt-data\\x2dset.mount", "Mounted ", "mnt-data\\x2dset.mount"],
  ] as const;
  for (const [asked, message, unit] of rows) {
    const { body } = await guest.http(`/api/logs?unit=${encodeURIComponent(asked)}`, { token });
    const items = (body.items ?? []) as readonly { readonly unit: string; readonly message: string }[];
    const isThere = items.some((one) => one.unit === unit && one.message.includes(message));
    guest.check(`${asked} has the lines of ${unit}`, isThere, body);
  }
  const all = JSON.stringify((await guest.http("/api/logs?limit=200", { token })).body);
  guest.check(
    "and all of them are among all",
    rows.every(([, message]) => all.includes(message)),
    all.slice(0, 500),
  );
}

/** A line to the socket of steward-logs, from this user; perl is in every Debian. */
function ask(guest: Guest, user: string, line: string): Promise<Ran> {
  const program = `use IO::Socket::UNIX; my $s = IO::Socket::UNIX->new(Peer => "/run/steward-logs.socket") or die "no: $!\n"; print $s "$ARGV[0]\n"; $s->flush; print while <$s>;`;
  return guest.run("setpriv", as(user, "perl", "-e", program, line));
}

async function overSocket(guest: Guest): Promise<void> {
  const all = await ask(guest, "steward", "read");
  const isWhole = all.stdout.includes("Started nginx.service") && all.stdout.endsWith("\nend\n");
  guest.check("the user steward is given what is allowed", isWhole, all.stdout.slice(-500));
  guest.check("and nothing else", !all.stdout.includes("the secret"));
  const other = await ask(guest, "steward", "read unit=other.service");
  guest.check("another unit is refused at the socket itself", other.stdout.startsWith("refused "), other);
  const words = await ask(guest, "steward", "read --unit=other.service");
  guest.check("and so are journalctl's own words", words.stdout.startsWith("refused "), words);
  const stranger = await ask(guest, "nobody", "read");
  guest.check("other users cannot ask at all", /^no: Permission denied/m.test(stranger.stderr), stranger);
}

async function follows(guest: Guest): Promise<void> {
  const child = spawn("steward", ["logs", "--follow"]);
  let seen = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    seen += text;
  });
  await guest.until("a follower hears of nginx", 20, async () => {
    await guest.run("systemctl", ["restart", "nginx.service"]);
    return seen.includes("Started nginx.service");
  });
  const usage = await guest.run("sh", ["-c", "ps -o rss= -C steward-logs; ps -o rss= -C journalctl"]);
  const kibibytes = usage.stdout.trim().split(/\s+/).map(Number);
  guest.check("reader and journalctl run meanwhile", kibibytes.length >= 3, usage);
  guest.figure("the reader while one follows, without journalctl", Math.max(...kibibytes.slice(0, 2)), "KiB");
  await guest.run("systemd-run", ["--wait", "--unit=other", "echo", "the secret of another service"]);
  await guest.run("systemctl", ["restart", "nginx.service"]);
  await guest.until("it goes on", 20, () => seen.split("Started nginx.service").length > 2);
  guest.check("it hears nothing of others", !seen.includes("the secret"), seen.slice(-500));
  child.kill();
  await guest.until("the reader leaves when it is not needed", 60, async () => {
    const { stdout } = await guest.run("systemctl", ["is-active", "steward-logs.service"]);
    return stdout.trim() === "inactive";
  });
  const again = await ask(guest, "steward", "read unit=nginx.service");
  guest.check("and comes again", again.stdout.endsWith("\nend\n"), again.stdout.slice(-500));
}

async function confinement(guest: Guest): Promise<void> {
  const { stdout } = await guest.run("systemd-analyze", ["security", "--no-pager", "steward-logs.service"]);
  const exposure = Number(/Overall exposure level for \S+: ([\d.]+)/.exec(stdout)?.[1]);
  guest.figure("exposure of steward-logs.service", exposure, "");
  guest.check("the reader is well confined", exposure <= 1.2, stdout);
  await overItsKeys(guest);
  const said = await guest.run("journalctl", ["--unit=steward-logs.service", "--output=cat"]);
  guest.check("and has nothing to complain about", said.stdout.trim() === "", said);
}

/** In the reader's view of the disk the keys are empty, though it has the group of the agent for the host file. */
async function overItsKeys(guest: Guest): Promise<void> {
  await ask(guest, "steward", "read unit=steward.service");
  const show = ["show", "steward-logs.service", "--property=MainPID", "--value"];
  const pid = (await guest.run("systemctl", show)).stdout.trim();
  const seen = (path: string) => guest.run("cat", [`/proc/${pid}/root${path}`]);
  const [host, key] = [await seen("/etc/steward/steward.json"), await seen("/etc/steward/seal.key")];
  guest.check("the reader sees the host file", host.stdout.includes("log_units"), host);
  guest.check("and not the sealing key", key.stdout === "", key);
}

import { spawn } from "node:child_process";
import { giveOwnBootId } from "../../machines/container/own-boot-id.ts";
import type { Guest } from "../../machines/guest/vocabulary.ts";
import { type TieredScenario, walk } from "../../machines/scenario.ts";
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
  boots: [{ run: walk(giveOwnBootId, agentAlone, overApi, overSocket, follows, confinement) }],
};

const as = (user: string): string =>
  `setpriv --reuid=${user} --regid=${user === "steward" ? user : "nogroup"} --clear-groups --`;
const secret = "systemd-run --wait --unit=other echo 'the secret of another service'";

/** An attacker who has taken over the agent reads no more than the agent could. */
async function agentAlone(guest: Guest): Promise<void> {
  await guest.types(`systemctl start nginx; ${secret}; journalctl --sync`);
  await guest.types("journalctl --unit=other.service -o cat", { says: "the secret" });
  await guest.types(`[ -z "$(${as("steward")} journalctl -o cat)" ]`, {
    what: "the user steward reads nothing",
  });
  await guest.types(
    "! grep ^Groups: /proc/$(systemctl show steward -P MainPID)/status | grep -w $(getent group systemd-journal | cut -d: -f3)",
    { what: "the agent is not in the journal's group" },
  );
}

/** A readonly user: the lines of each name, one of which is an alias that systemd makes, and no line of another unit. */
async function overApi(guest: Guest): Promise<void> {
  await addUser(guest);
  await addUser(guest, "log-reader", "readonly");
  const token = String((await signIn(guest, "log-reader")).body.access_token);
  await guest.types(
    "systemctl enable collector; systemctl start collector 'pump@hall\\x2d2.service' 'mnt-data\\x2dset.mount'; journalctl --sync",
  );
  const list = (query: string) => guest.http(`/api/logs?${query}`, { token });
  for (const [asked, message, unit = asked] of [
    ["nginx.service", "Started nginx.service"],
    ["steward.service", "listening"],
    ["syslog.service", "collected", "collector.service"],
    ["collector.service", "collected"],
    ["pump@hall\\x2d2.service", "the pump hall-2 says so"],
    ["mnt-data\\x2dset.mount", "Mounted "],
  ] as const) {
    const { body } = await list(`unit=${encodeURIComponent(asked)}&q=${encodeURIComponent(message)}`);
    const items = (body.items ?? []) as readonly { readonly unit: string; readonly message: string }[];
    const isThere = items.some((one) => one.unit === unit && one.message.includes(message));
    guest.check(`${asked} has the lines of ${unit}`, isThere && body.source === "journal", body);
  }
  const all = JSON.stringify((await list("limit=200")).body);
  guest.check("nothing of others is among all", !all.includes("the secret"), all.slice(0, 500));
  const other = await list("unit=other.service");
  guest.check("nor by name", [400, 422].includes(other.status), other.body);
}

/** A line to the socket of steward-logs, from this user; perl is in every Debian. */
const asked = (user: string, line: string): string =>
  `${as(user)} perl -e 'use IO::Socket::UNIX; my $s = IO::Socket::UNIX->new(Peer => "/run/steward-logs.socket") or die "no: $!\\n"; print $s "$ARGV[0]\\n"; $s->flush; print while <$s>;' '${line}'`;

async function overSocket(guest: Guest): Promise<void> {
  const all = await guest.types(asked("steward", "read"), { says: ["Started nginx.service", /\nend\n$/] });
  guest.check("and nothing else", !all.includes("the secret"));
  // Another unit is refused at the socket itself, and so are journalctl's own words.
  for (const words of ["read unit=other.service", "read --unit=other.service"])
    await guest.types(asked("steward", words), { says: /^refused / });
  await guest.types(asked("nobody", "read"), { status: "fails", says: /^no: Permission denied/m });
}

async function follows(guest: Guest): Promise<void> {
  const child = spawn("steward", ["logs", "--follow"]);
  let seen = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    seen += text;
  });
  const restarted = "systemctl restart nginx.service";
  await guest.until("a follower hears of nginx", 20, async () => {
    await guest.run("sh", ["-c", restarted]);
    return seen.includes("Started nginx.service");
  });
  const usage = await guest.run("sh", ["-c", "ps -o rss= -C steward-logs; ps -o rss= -C journalctl"]);
  const kibibytes = usage.stdout.trim().split(/\s+/).map(Number);
  guest.check("reader and journalctl run meanwhile", kibibytes.length >= 3, usage);
  guest.figure("the reader while one follows, without journalctl", Math.max(...kibibytes.slice(0, 2)), "KiB");
  await guest.types(`${secret}; ${restarted}`);
  await guest.until("it goes on", 20, () => seen.split("Started nginx.service").length > 2);
  guest.check("it hears nothing of others", !seen.includes("the secret"), seen.slice(-500));
  child.kill();
  const what = "the reader leaves when it is not needed";
  await guest.becomes("systemctl is-active steward-logs", 60, { status: 3, says: /^inactive$/m, what });
  await guest.types(asked("steward", "read unit=nginx.service"), {
    says: /\nend\n$/,
    what: "and comes again",
  });
}

/** In the reader's view of the disk the keys are empty, though it has the group of the agent for the host file. */
async function confinement(guest: Guest): Promise<void> {
  await guest.types(asked("steward", "read unit=steward.service"));
  const pid = await guest.property("MainPID", "steward-logs.service");
  await guest.types(`cat /proc/${pid}/root/etc/steward/steward.json`, { says: "log_units" });
  await guest.types(`[ -z "$(cat /proc/${pid}/root/etc/steward/seal.key)" ]`, {
    what: "and not the sealing key",
  });
  await guest.types('[ -z "$(journalctl -q -u steward-logs -o cat)" ]', {
    what: "it has nothing to complain about",
  });
}

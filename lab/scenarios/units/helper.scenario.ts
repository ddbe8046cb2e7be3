import { chmodSync, readFileSync, readlinkSync, writeFileSync } from "node:fs";
import { emptyJournal, releaseJournalText } from "../../../src/releases/release-journal.ts";
import { askerFiles, askRoot, asUser, floodOrders, floodRoot } from "../../machines/guest/root-helper.ts";
import type { Guest } from "../../machines/guest/vocabulary.ts";
import { type TieredScenario, walk } from "../../machines/scenario.ts";
import { releaseJournal } from "../updates/update-scenario.ts";
import { outside, requests } from "./helper-requests.ts";

const socket = "/run/steward-helper.socket";
const id = "0123456789abcdef".repeat(2);
const [helper, timesyncd] = ["steward-helper.service", "systemd-timesyncd.service"];
const floodSeconds = 20;

/** The agent's user may ask root for the vocabulary of the root helper, and for nothing of systemd. */
export const scenario: TieredScenario = {
  title: "the agent's user orders what is in the root helper's vocabulary, and nothing else, however often",
  tiers: { container: {} },
  timeoutSeconds: 400,
  keepsDisk: true,
  files: {
    ...askerFiles,
    // The identity of a command to chronyd.
    "/usr/lib/sysusers.d/chrony.conf": "u _chrony - chronyd /var/lib/chrony\n",
    "/etc/systemd/system/steward-chrony@.service.d/standing.conf": `[Service]
ExecStartPre=/bin/sh -c 'id -un; grep -E "^(Uid|Gid|CapEff|CapBnd|NoNewPrivs|Seccomp):" /proc/self/status'
`,
    // Another ordinary user, and units that exist, so that a refused unit is not merely absent.
    "/usr/lib/sysusers.d/visitor.conf": "u visitor - Visitor /var/empty /bin/sh\n",
    "/usr/lib/systemd/system/other.service": "[Service]\nExecStart=/bin/sleep infinity\n",
    // The real one does not run in a container; this one is restarted as well as it is.
    "/usr/lib/systemd/system/systemd-timesyncd.service": "[Service]\nExecStart=/bin/sleep infinity\n",
  },
  boots: [
    {
      units: ["steward.service", "other.service", timesyncd],
      // The journal gets only the first refusals, so strangers come early.
      run: walk(systemdRefuses, strangers, vocabulary, chronyAsItsUser, rollback, orders, flood, powerOff),
    },
    { run: afterwards },
  ],
};

const denial =
  /access denied|interactive authentication|permission denied|not permitted|not authorized|must be root/i;

async function systemdRefuses(guest: Guest): Promise<void> {
  // It is there, and has failed, when the agent's user asks about it.
  await guest.run("systemctl", ["start", `steward-install@${id}.service`]);
  for (const request of requests) {
    const ran = await asUser(guest, "steward", request);
    const isRefused = ran.status !== 0 && denial.test(ran.stderr + ran.stdout);
    guest.check(`systemd refuses steward: ${request.join(" ")}`, isRefused, ran);
  }
  guest.figure("requests of systemd that were refused", requests.length, "");
}

/** The mode of the socket keeps other users out; the helper does so itself where it does not. */
async function strangers(guest: Guest): Promise<void> {
  const [without] = await askRoot(guest, "visitor", ["reboot\n"]);
  chmodSync(socket, 0o666);
  const [answer] = await askRoot(guest, "visitor", ["reboot\n"]);
  chmodSync(socket, 0o600);
  const ends = [without, answer].join();
  guest.check("another user cannot connect, and is refused where they can", ends === "EACCES,refused", ends);
  await guest.types(
    'journalctl -u steward-helper -o cat --no-pager | grep "refused to user $(id -u visitor), process"',
  );
}

/** Half a line, held open on as many connections as the process may have, for so many seconds. */
const holding = `const { connect } = require("node:net");
let held = 0;
for (let at = 0; at < 500; at += 1) {
  const one = connect("${socket}", () => { held += 1; one.write("reb"); });
  one.on("error", () => {});
}
setTimeout(() => { console.log(held); process.exit(); }, 6000);`;

/** An agent that someone has taken over tries what it can at the socket to root. */
async function vocabulary(guest: Guest): Promise<void> {
  const standing = async () =>
    `${readFileSync("/etc/hostname")}${zone()}${(await guest.run("systemctl", ["list-jobs", "--no-legend"])).stdout}`;
  const [before, process] = [await standing(), await guest.property("MainPID", helper)];
  const answers = await askRoot(guest, "steward", outside);
  const taken = outside.filter((_, index) => answers[index] !== "refused");
  guest.check("the root helper refuses all that is outside of its vocabulary", taken.length === 0, taken);
  const held = asUser(guest, "steward", ["/usr/lib/steward/bin/node", "--eval", holding]);
  await guest.pause(2);
  await guest.types("ps -C steward-helper -o pid=", { says: /^\s*\d+\s*$/, what: "one process meanwhile" });
  guest.figure("connections that half a line held open at once", Number((await held).stdout), "");
  const [next = ""] = await askRoot(guest, "steward", ["chrony burst\n"]);
  guest.check("an order after them is taken", /^(ok|failed \d+)$/.test(next), next);
  const after = await guest.property("MainPID", helper);
  guest.check("by the same process", after === process && process !== "0", [process, after]);
  const now = await standing();
  guest.check("and nothing of the machine has changed", now === before, [before, now]);
}

async function chronyAsItsUser(guest: Guest): Promise<void> {
  await askRoot(guest, "steward", ["chrony reselect\n"]);
  await guest.becomes("journalctl -u steward-chrony@reselect -o cat --no-pager", 20, {
    says: [/^_chrony$/m, /^CapEff:\s+0+$/m, /^CapBnd:\s+0+$/m, /^NoNewPrivs:\s+1$/m, /^Seccomp:\s+2$/m],
    what: "a command to chronyd runs as its user, without a capability",
  });
}

/** Root's limits for a rollback of the agent's: this release was committed in another boot. */
async function rollback(guest: Guest): Promise<void> {
  const committed = { at: "2026-11-22T08:00:00.000Z", boot_id: "another", uptime: 60 };
  const good = ["1.0.0", "1.1.0"].map((version, index) => ({
    ...{ id: id.slice(0, 31) + index, name: "demo", version, committed },
  }));
  const { slots } = emptyJournal;
  const journal = { ...emptyJournal, slots: { ...slots, rules: { ...slots.rules, good } } };
  writeFileSync("/var/lib/steward-releases/journal.json", releaseJournalText(journal));
  const [answer] = await askRoot(guest, "steward", ["rollback rules\n"]);
  const entry = releaseJournal().history.at(-1);
  const isRefused = entry?.outcome === "refused" && /Only root can go back/.test(entry.detail ?? "");
  guest.check("a rollback beyond the agent's limits fails", answer === "failed 1" && isRefused, entry);
  await guest.run("rm", ["/var/lib/steward-releases/journal.json"]);
}

/** Orders, one after the other, with the answers of the helper; then the machine is looked at. */
async function orders(guest: Guest): Promise<void> {
  const before = await guest.property("MainPID", timesyncd);
  const rows: readonly (readonly [what: string, order: string, answer: RegExp, prepare?: string])[] = [
    ["timesyncd is restarted", "restart-timesyncd", /^ok$/],
    ["one that does not run is not started", "restart-timesyncd", /^ok$/, `systemctl stop ${timesyncd}`],
    ["an order to chronyd, which is not here, fails", "chrony burst", /^failed \d+$/],
    ["a time zone is set", "time-zone Europe/Berlin", /^ok$/],
    ["one that does not exist is not", "time-zone Europe/Nowhere", /^failed ENOENT$/],
    ["a host name is set", "host-name pump-7", /^ok$/],
    ["without D-Bus all goes on", "time-zone Etc/UTC", /^ok$/, "systemctl stop dbus.socket dbus.service"],
    ["timesyncd as well", "restart-timesyncd", /^ok$/],
  ];
  for (const [what, order, wanted, prepare = "true"] of rows) {
    await guest.run("sh", ["-c", prepare]);
    const [answer = ""] = await askRoot(guest, "steward", [`${order}\n`]);
    guest.check(what, wanted.test(answer), answer);
    if (order !== "restart-timesyncd") continue;
    const present = await guest.property("MainPID", timesyncd);
    const isIt =
      prepare !== "true" || what.endsWith("well") ? present === "0" : ![before, "0"].includes(present);
    guest.check("and systemd says so", isIt, present);
  }
  const present = readFileSync("/proc/sys/kernel/hostname", "utf8").trim();
  guest.check("name and zone are the machine's", present === "pump-7" && zone().endsWith("Etc/UTC"), zone());
  await guest.run("systemctl", ["start", "dbus.socket"]);
}

const zone = (): string => readlinkSync("/etc/localtime");

async function flood(guest: Guest): Promise<void> {
  const before = await guest.property("MainPID", helper);
  const counts = await floodRoot(guest, "steward", floodOrders, floodSeconds);
  guest.note(`answers in ${floodSeconds} s: ${JSON.stringify(counts)}`);
  const { ok = 0, failed = 0, limited = 0, refused = 0 } = counts;
  // 12 installations, 6 rollbacks, 20 of chronyd and 10 restarts, and those that the buckets gain in the time.
  guest.check("a flood has no more done than the buckets hold", ok + failed <= 52, counts);
  guest.check("the rest is told to wait, or refused", limited > 0 && refused > 0, counts);
  guest.check("by the same process as before", (await guest.property("MainPID", helper)) === before);
  const { stdout } = await guest.run("journalctl", ["--unit=steward-helper", "--output=cat", "--no-pager"]);
  guest.check("the journal is not flooded", stdout.trim().split("\n").length < 250, stdout.length);
  const [answer] = await askRoot(guest, "steward", ["time-zone Europe/Vienna\n"]);
  guest.check("and other orders are taken all the time", answer === "ok", answer);
}

/** The machine goes down by the agent's order, without D-Bus and so without logind. */
async function powerOff(guest: Guest): Promise<void> {
  // Otherwise the machine may be off before its jobs are listed.
  const untilThisEnds = `ExecStop=/usr/bin/timeout 60 /usr/bin/tail --pid=${process.pid} -f /dev/null`;
  await guest.types(
    `systemctl stop dbus.socket dbus.service; systemd-run --remain-after-exit --property='${untilThisEnds}' true`,
  );
  const [answer] = await askRoot(guest, "steward", ["power-off\n"]);
  guest.check("the agent's user can power the device off", answer === "ok", answer);
  await guest.types("systemctl list-jobs --no-legend --no-pager", { says: /poweroff\.target\s+start/ });
}

async function afterwards(guest: Guest): Promise<void> {
  guest.check("the host name is kept", readFileSync("/etc/hostname", "utf8") === "pump-7\n");
  guest.check("and the time zone", zone().endsWith("Europe/Vienna"), zone());
}

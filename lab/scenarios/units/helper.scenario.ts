import { readFileSync, readlinkSync, writeFileSync } from "node:fs";
import { emptyJournal, releaseJournalText } from "../../../src/releases/release-journal.ts";
import { askerFiles, askRoot, asUser, floodRoot } from "../../machines/guest/root-helper.ts";
import type { Guest } from "../../machines/guest/vocabulary.ts";
import type { TieredScenario } from "../../machines/scenario.ts";
import { releaseJournal } from "../updates/update-scenario.ts";
import { chronyAsItsUser, chronyDropIn, hostile, strangers } from "./helper-hostile.ts";
import { outside, requests } from "./helper-requests.ts";

const id = "0123456789abcdef".repeat(2);

/** The agent's user may ask root for the vocabulary of the root helper, and for nothing of systemd. */
export const scenario: TieredScenario = {
  title: "the agent's user orders what is in the root helper's vocabulary, and nothing else, however often",
  tiers: { container: {} },
  timeoutSeconds: 400,
  keepsDisk: true,
  files: {
    ...askerFiles,
    ...chronyDropIn,
    // Another ordinary user, and units that exist, so that a refused unit is not merely absent.
    "/usr/lib/sysusers.d/visitor.conf": "u visitor - Visitor /var/empty /bin/sh\n",
    "/usr/lib/systemd/system/other.service": "[Service]\nExecStart=/bin/sleep infinity\n",
    // The real one does not run in a container; this one is restarted as well as it is.
    "/usr/lib/systemd/system/systemd-timesyncd.service": "[Service]\nExecStart=/bin/sleep infinity\n",
  },
  boots: [
    { units: ["steward.service", "other.service", "systemd-timesyncd.service"], run: ordering },
    { run: afterwards },
  ],
};

async function ordering(guest: Guest): Promise<void> {
  await guest.stewardAnswers();
  await systemdRefuses(guest);
  // This comes first: the journal gets only the first refusals.
  await strangers(guest);
  await outsideOfTheVocabulary(guest);
  await hostile(guest);
  await chronyAsItsUser(guest);
  await rollback(guest);
  await restarts(guest);
  await nameAndZone(guest);
  await withoutDBus(guest);
  await flood(guest);
  await powerOff(guest);
}

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

async function outsideOfTheVocabulary(guest: Guest): Promise<void> {
  const answers = await askRoot(guest, "steward", outside);
  const taken = outside.filter((_, index) => answers[index] !== "refused");
  guest.check("the root helper refuses all that is outside of its vocabulary", taken.length === 0, taken);
  const [byVisitor] = await askRoot(guest, "visitor", ["reboot\n"]);
  guest.check("another user cannot even connect", byVisitor === "EACCES", byVisitor);
  const { stdout } = await guest.run("systemctl", [
    "show",
    "--property=Result,ExecMainStatus",
    "steward-helper",
  ]);
  guest.check("the root helper is none the worse for it", /Result=success/.test(stdout), stdout);
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
  guest.check("a rollback beyond the agent's limits fails", answer === "failed 1", answer);
  guest.check("and the installer says that only root may", isRefused, entry);
  await guest.run("rm", ["/var/lib/steward-releases/journal.json"]);
}

async function mainPid(guest: Guest, unit: string): Promise<string> {
  return (await guest.run("systemctl", ["show", "--property=MainPID", "--value", unit])).stdout.trim();
}

async function restarts(guest: Guest): Promise<void> {
  const timesyncd = "systemd-timesyncd.service";
  const before = await mainPid(guest, timesyncd);
  const [answer] = await askRoot(guest, "steward", ["restart-timesyncd\n"]);
  const after = await mainPid(guest, timesyncd);
  guest.check("timesyncd is restarted", answer === "ok" && after !== before && after !== "0", {
    answer,
    after,
  });
  await guest.run("systemctl", ["stop", timesyncd]);
  const [again] = await askRoot(guest, "steward", ["restart-timesyncd\n"]);
  const isStopped = (await mainPid(guest, timesyncd)) === "0";
  guest.check("and one that does not run is not started", again === "ok" && isStopped, again);
  const [absent] = await askRoot(guest, "steward", ["chrony burst\n"]);
  guest.check("an order to chronyd, which is not here, fails", /^failed \d+$/.test(absent ?? ""), absent);
}

async function nameAndZone(guest: Guest): Promise<void> {
  const orders = ["time-zone Europe/Berlin\n", "time-zone Europe/Nowhere\n", "host-name pump-7\n"];
  const [zone, none, name] = await askRoot(guest, "steward", orders);
  guest.check(
    "the time zone is set",
    zone === "ok" && readlinkSync("/etc/localtime").endsWith("Europe/Berlin"),
    zone,
  );
  guest.check("one that does not exist is not", none === "failed ENOENT", none);
  guest.check("the host name is set", name === "ok", name);
  const present = readFileSync("/proc/sys/kernel/hostname", "utf8").trim();
  guest.check("in the kernel as well", present === "pump-7", present);
}

async function withoutDBus(guest: Guest): Promise<void> {
  await guest.run("systemctl", ["stop", "dbus.socket", "dbus.service"]);
  const answers = await askRoot(guest, "steward", ["restart-timesyncd\n", "time-zone Etc/UTC\n"]);
  guest.check("all that works without D-Bus", answers.join() === "ok,ok", answers);
  await guest.run("systemctl", ["start", "dbus.socket"]);
}

/** Seconds of processor time of a process and of those it has waited for. */
function processorSeconds(pid: string): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
    .replace(/^.*\) /, "")
    .split(" ");
  // proc(5): utime, stime, cutime, cstime are fields 14 to 17; ticks of 10 ms.
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / 100;
}

const floodSeconds = 20;

async function flood(guest: Guest): Promise<void> {
  await askRoot(guest, "steward", ["nothing\n"]);
  const helper = await mainPid(guest, "steward-helper.service");
  const units = () => readFileSync("/proc/uptime", "utf8");
  const before = { helper: processorSeconds(helper), init: processorSeconds("1"), at: units() };
  const orders = [
    `install ${id}\n`,
    "rollback binary\n",
    "chrony burst\n",
    "restart-timesyncd\n",
    "nonsense\n",
  ];
  const counts = await floodRoot(guest, "steward", orders, floodSeconds);
  const share = (pid: string, from: number) => ((processorSeconds(pid) - from) / floodSeconds) * 100;
  guest.note(`answers in ${floodSeconds} s: ${JSON.stringify(counts)}`);
  const asked = Object.values(counts).reduce((sum, count) => sum + count, 0);
  guest.figure("orders a second", Math.round(asked / floodSeconds), "");
  guest.figure(
    "the root helper and systemctl",
    Number(share(helper, before.helper).toFixed(1)),
    "% of one processor",
  );
  guest.figure("systemd itself", Number(share("1", before.init).toFixed(1)), "% of one processor");
  const done = (counts.ok ?? 0) + (counts.failed ?? 0);
  // 12 installations, 6 rollbacks, 20 of chronyd and 10 restarts, and those that the buckets gain in the time.
  guest.check("a flood has no more done than the buckets hold", done <= 52, counts);
  guest.check(
    "the rest is told to wait, or refused",
    (counts.limited ?? 0) > 0 && (counts.refused ?? 0) > 0,
    counts,
  );
  guest.check(
    "it is the same process as before",
    (await mainPid(guest, "steward-helper.service")) === helper,
  );
  const { stdout } = await guest.run("journalctl", ["--unit=steward-helper", "--output=cat", "--no-pager"]);
  guest.figure("lines of the root helper in the journal", stdout.trim().split("\n").length, "");
  guest.check("the journal is not flooded", stdout.trim().split("\n").length < 250, stdout.length);
  const [zone] = await askRoot(guest, "steward", ["time-zone Europe/Vienna\n"]);
  guest.check("and other orders are taken all the time", zone === "ok", zone);
}

/** The machine goes down by the agent's order, without D-Bus and so without logind. */
async function powerOff(guest: Guest): Promise<void> {
  await guest.run("systemctl", ["stop", "dbus.socket", "dbus.service"]);
  // Otherwise the machine may be off before its jobs are listed.
  const untilThisEnds = `ExecStop=/usr/bin/timeout 60 /usr/bin/tail --pid=${process.pid} -f /dev/null`;
  await guest.run("systemd-run", ["--remain-after-exit", `--property=${untilThisEnds}`, "true"]);
  const [answer] = await askRoot(guest, "steward", ["power-off\n"]);
  guest.check("the agent's user can power the device off", answer === "ok", answer);
  const { stdout } = await guest.run("systemctl", ["list-jobs", "--no-legend", "--no-pager"]);
  guest.check("the jobs for it are there", /poweroff\.target\s+start/.test(stdout), stdout);
}

async function afterwards(guest: Guest): Promise<void> {
  guest.check("the host name is kept", readFileSync("/etc/hostname", "utf8") === "pump-7\n");
  guest.check("and the time zone", readlinkSync("/etc/localtime").endsWith("Europe/Vienna"));
}

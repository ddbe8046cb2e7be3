import {
  chmodSync,
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import type { Guest, Ran } from "../../machines/guest/vocabulary.ts";
import { addUser, enrolled, password, signIn } from "../people.ts";
import { appliedUntil, appliedWhole } from "../updates/power-cuts.ts";
import { linked, outcomeOf, productSays, releaseJournal, trusting } from "../updates/update-scenario.ts";

/** The situations of steward-rescue(7) that need no clock of the machine's own: brought about, and mended by its lines. */

export const state = "/var/lib/steward";

/** The lines of the page as it is installed, by the beginning of a section's title. */
export function linesOf(title: string): string[] {
  // Removes the marks that scripts/roff.ts puts in for roff.
  const page = readFileSync("/usr/share/man/man7/steward-rescue.7", "utf8")
    .replaceAll("\\-", "-")
    .replaceAll("\\(dq", '"')
    .replaceAll("\\e", "\\");
  const section = page.split(/^\.SH /m).find((one) => one.startsWith(`"${title.toUpperCase()}`)) ?? "";
  const block = /^\.nf\n([\s\S]*?)\n\.fi$/m.exec(section)?.[1];
  if (block === undefined) throw new Error(`the page has no lines for "${title}"`);
  return block.split("\n");
}

/** Types the lines of a situation, at most three, or the first `count` of them, and returns what each has said. */
export async function typed(
  guest: Guest,
  title: string,
  words: Readonly<Record<string, string>> = {},
  count = 3,
): Promise<Ran[]> {
  const lines = linesOf(title);
  guest.check(`${title}: at most three lines`, lines.length >= 1 && lines.length <= 3, lines);
  const said: Ran[] = [];
  for (const line of lines.slice(0, count)) {
    const filled = Object.entries(words).reduce((text, [word, value]) => text.replace(word, value), line);
    const ran = await guest.run("sh", ["-c", filled], { timeoutSeconds: 300 });
    // The doctor has found something, which is why it was asked.
    const isDone = ran.status === 0 || (filled === "steward doctor" && ran.status === 10);
    guest.check(`${title}: ${filled}`, isDone, ran);
    said.push(ran);
  }
  return said;
}

/** It starts a dozen programs, one after the other: under emulation beside other work that takes minutes. */
function doctor(guest: Guest): Promise<Ran> {
  return guest.run("/usr/bin/steward", ["doctor"], { timeoutSeconds: 300 });
}

/** The last line of steward doctor: the next one to type. */
export async function next(guest: Guest): Promise<string> {
  const { stdout } = await doctor(guest);
  return stdout.trimEnd().split("\n").at(-1) ?? "";
}

/** The doctor, asked whether it names this line for this device. */
export async function doctorNames(guest: Guest, what: string, line: string | RegExp): Promise<void> {
  const ran = await doctor(guest);
  const isNamed = ran.stdout
    .split("\n")
    .some((one) => (typeof line === "string" ? one.trim() === `> ${line}` : line.test(one)));
  guest.check(`steward doctor names it: ${what}`, isNamed, ran);
}

/** Adds a user with everyone's password. */
export async function added(guest: Guest, name: string, role = "readonly"): Promise<void> {
  const ran = await addUser(guest, name, role);
  guest.check(`${name} is added`, ran.status === 0, ran);
}

/** Before there is an administrator: the token is printed, made again, and makes one. */
export async function lostSetupToken(guest: Guest): Promise<void> {
  const [first, second] = await typed(guest, "The setup token is lost");
  const token = second?.stdout.trim() ?? "";
  guest.check(
    "the second line makes another token",
    token !== first?.stdout.trim() && token.length > 20,
    second,
  );
  const body = { setup_token: token, username: "root-admin", password };
  const made = await guest.http("/api/setup", { body });
  guest.check("which makes the administrator", made.status === 201, made.body);
}

export async function lostPhone(guest: Guest): Promise<void> {
  await added(guest, "lost-phone");
  await enrolled(guest, "lost-phone");
  const before = await signIn(guest, "lost-phone");
  guest.check("the password alone does not do", before.body.code === "totp_required", before.body);
  await typed(guest, "A phone is lost", { NAME: "lost-phone" });
  const after = await signIn(guest, "lost-phone");
  guest.check("after the line it does", after.status === 200, after.body);
}

export async function forgottenPassword(guest: Guest): Promise<void> {
  await added(guest, "forgetful");
  const [said] = await typed(guest, "A password is forgotten", { NAME: "forgetful" });
  const oneUse = said?.stdout.trim().split("\n").at(-1) ?? "";
  const session = await signIn(guest, "forgetful", { password: oneUse });
  guest.check("the one-use password signs in", session.status === 200, session.body);
  guest.check(
    "and another one must be chosen",
    session.body.user?.must_change_password === true,
    session.body,
  );
}

export async function lostSealingKey(guest: Guest): Promise<void> {
  await added(guest, "sealed-one");
  await enrolled(guest, "sealed-one");
  await guest.run("systemctl", ["stop", "steward.service"]);
  for (const name of readdirSync(state)) if (/seal.*key/.test(name)) rmSync(`${state}/${name}`);
  await guest.run("systemctl", ["start", "steward.service"]);
  await guest.stewardAnswers();
  // One of the users with a second factor after the other.
  await doctorNames(guest, "the lost sealing key", /^ *> steward user rescue (sealed|coded)-one$/);
  const said = await typed(guest, "The sealing key is lost", { NAME: "sealed-one" });
  const oneUse = said.at(-1)?.stdout.trim().split("\n").at(-1) ?? "";
  const session = await signIn(guest, "sealed-one", { password: oneUse });
  guest.check("the user signs in with the one-use password", session.status === 200, session.body);
}

/** No copy of it is left, as with a disk that has lost blocks: the agent is in rescue. */
async function damaged(guest: Guest, name: "users" | "settings"): Promise<void> {
  await guest.run("systemctl", ["stop", "steward.service"]);
  const copies = readdirSync(state).filter((file) => file.startsWith(`${name}.`) && file.endsWith("json"));
  for (const file of copies) writeFileSync(`${state}/${file}`, "\0".repeat(512));
  await guest.run("systemctl", ["start", "steward.service"]);
  const health = await guest.stewardAnswers();
  guest.check(`without usable ${name} the agent is in rescue`, health.body.status === "rescue", health.body);
  const line = await next(guest);
  guest.check(`the doctor's last line begins the ${name} anew`, line === `steward state reset ${name}`, line);
}

/** Out of rescue, and with the damaged file at hand. */
async function begunAnew(guest: Guest, name: "users" | "settings"): Promise<void> {
  const health = await guest.until("the agent is out of rescue", 60, async () => {
    const answer = await guest.http("/api/health");
    return answer.body.status !== "rescue" && answer;
  });
  const isKept = readdirSync(state).some((file) => file.startsWith(`${name}.bad-`));
  guest.check(`the ${name} are begun anew, and the damaged file is kept`, isKept, health.body);
}

const damagedTitle = "Settings or users are damaged";

/** The same with `settings` in the place of `users`; the third line is for users. */
export async function damagedSettings(guest: Guest): Promise<void> {
  await damaged(guest, "settings");
  await typed(guest, damagedTitle, { users: "settings" }, 2);
  await begunAnew(guest, "settings");
}

export async function damagedUsers(guest: Guest): Promise<void> {
  await damaged(guest, "users");
  const said = await typed(guest, damagedTitle, { NAME: "new-owner" });
  await begunAnew(guest, "users");
  const oneUse = said.at(-1)?.stdout.trim().split("\n").at(-1) ?? "";
  const session = await signIn(guest, "new-owner", { password: oneUse });
  guest.check("a new administrator signs in", session.status === 200, session.body);
}

/** A process and a unit under the names of VirtualBox's tools. */
async function startHypervisorTools(guest: Guest): Promise<void> {
  copyFileSync("/usr/bin/sleep", "/usr/local/sbin/VBoxService");
  const unit = "[Service]\nExecStart=/usr/local/sbin/VBoxService 3600\n";
  writeFileSync("/etc/systemd/system/virtualbox-guest-utils.service", unit);
  await guest.run("systemctl", ["daemon-reload"]);
  await guest.run("systemctl", ["start", "virtualbox-guest-utils.service"]);
}

/** ntpdate in cron, for which the page has the line, and the tools of a virtual machine, for which the doctor has it. */
export async function secondSetter(guest: Guest): Promise<void> {
  const path = "/etc/cron.d/ntpdate";
  await guest.run("mkdir", ["-p", "/etc/cron.d"]);
  writeFileSync(path, "*/5 * * * * root /usr/sbin/ntpdate -s 192.0.2.1\n");
  await startHypervisorTools(guest);
  const title = "Two programs set the clock";
  const [said] = await typed(guest, title);
  const named = (said?.stdout ?? "").split("\n").map((line) => line.trim());
  guest.check("the doctor names ntpdate in cron", named.includes(`> mv ${path} /root/ntpdate.off`), said);
  const line = "systemctl disable --now virtualbox-guest-utils.service";
  guest.check("and the tools of a virtual machine", named.includes(`> ${line}`), said);
  const ended = await guest.run("sh", ["-c", line]);
  guest.check("which its line ends", ended.status === 0, ended);
  await guest.stewardAnswers();
  const again = await doctor(guest);
  const isNamed = /ntpdate|VBoxService/.test(again.stdout);
  guest.check("afterwards the doctor names neither", !isNamed && !existsSync(path), again);
}

/** A release that never becomes healthy within an hour: its trial lasts. */
export const stuckVersion = "1.1.0";

/** The boot before: an update whose trial lasts, until the power is cut. */
export async function midUpdate(guest: Guest): Promise<void> {
  await trusting(guest);
  await appliedWhole(guest, "1.0.0");
  await appliedUntil(guest, { version: stuckVersion, place: "confirming" }, () => undefined);
}

/** The guard has gone on at the boot, or is started by the line; and the trial goes on. */
export async function cutInMidUpdate(guest: Guest): Promise<void> {
  await guest.run("systemctl", ["stop", "steward-guard.service"]);
  await doctorNames(guest, "a trial that is not watched", "systemctl start steward-guard.service");
  const [, status] = await typed(guest, "The power was cut in mid-update");
  guest.check("the update goes on", /confirming|on trial/.test(status?.stdout ?? ""), status);
  const { boots } = releaseJournal().slots.binary.trial ?? { boots: 0 };
  // A container has the boot id of this computer.
  const isContainer = existsSync("/run/systemd/container");
  guest.check("in its second boot", boots === (isContainer ? 1 : 2), boots);
}

export async function stuckInConfirming(guest: Guest): Promise<void> {
  const id = releaseJournal().slots.binary.trial?.release.id ?? "";
  await typed(guest, "An update is stuck in confirming");
  const entry = await outcomeOf(guest, id, 120);
  guest.check("it was aborted", entry.outcome === "aborted", entry);
  guest.check(
    "the release before is back",
    linked("binary", "current") !== id && (await productSays()) === "1.0.0",
  );
}

/** Booted with steward.rescue=1: the text above the login prompt lets an administrator in. */
export async function withoutShell(guest: Guest, administrator: string): Promise<void> {
  const issue = "/run/issue.d/steward-rescue.issue";
  const text = await guest.until("the token stands above the login prompt", 90, () =>
    existsSync(issue) ? readFileSync(issue, "utf8") : undefined,
  );
  const token = /(?:[0-9a-z]{5}-){3}[0-9a-z]{5}/.exec(text)?.[0] ?? "";
  const chosen = "seven quiet owls at dusk";
  const body = { setup_token: token, username: administrator, password: chosen };
  const made = await guest.http("/api/setup", { body });
  guest.check(
    "with the token of the terminal an administrator gets another password",
    made.status === 201,
    made.body,
  );
  const session = await signIn(guest, administrator, { password: chosen });
  guest.check("and signs in", session.status === 200, session.body);
  const spent = await guest.http("/api/setup", { body });
  guest.check("the token is spent", spent.body.code === "setup_already_done", spent.body);
  await guest.run("systemctl", ["restart", "steward-rescue.service"]);
  await guest.until("a restart of the unit prints another", 60, () => {
    const present = existsSync(issue) ? readFileSync(issue, "utf8") : "";
    return present.includes("Setup token") && !present.includes(token);
  });
  await guest.run("systemctl", ["stop", "steward-rescue.service"]);
  const left = [issue, "/run/steward/rescue-token"].filter((path) => existsSync(path));
  guest.check("when the unit ends, nothing of it is left", left.length === 0, left);
}

/** The same where the host file forbids it. */
export async function withoutShellForbidden(guest: Guest): Promise<void> {
  const file = "/etc/steward/steward.json";
  const before = existsSync(file) ? readFileSync(file, "utf8") : undefined;
  writeFileSync(file, JSON.stringify({ ...JSON.parse(before ?? "{}"), kernel_rescue: false }));
  // Root may have written it with a umask of 077: it forbids all the same.
  chmodSync(file, 0o600);
  await guest.run("systemctl", ["restart", "steward-rescue.service"]);
  const said = await guest.until("the unit has ended", 60, async () => {
    const show = ["show", "--property=ActiveState,Result", "steward-rescue.service"];
    const { stdout } = await guest.run("systemctl", show);
    return stdout.includes("ActiveState=inactive") ? stdout : undefined;
  });
  const isRefused = !existsSync("/run/steward/rescue-token") && said.includes("Result=success");
  guest.check("where the host file forbids it, no token is printed", isRefused, said);
  if (before === undefined) rmSync(file);
  else writeFileSync(file, before);
  if (before !== undefined) chmodSync(file, 0o644);
}

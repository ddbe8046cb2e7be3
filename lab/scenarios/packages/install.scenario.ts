import type { Guest } from "../../machines/guest/vocabulary.ts";
import type { TieredScenario } from "../../machines/scenario.ts";
import { addUser, signIn } from "../people.ts";

const units = [
  "steward.service",
  "steward-guard.service",
  "steward-guard-boot.service",
  "steward-rescue.service",
];

/** The lines of docs/install.md after `make install`, and the machine after them; then it is started again. */
export const scenario: TieredScenario = {
  title: "what make install has put there is set up by five commands, and comes up at the next boot",
  tiers: { container: {} },
  timeoutSeconds: 120,
  keepsDisk: true,
  boots: [
    { units: [], run: settingUp },
    { units: [], run: nextBoot },
  ],
};

async function settingUp(guest: Guest): Promise<void> {
  for (const command of [
    ["systemd-sysusers"],
    ["systemd-tmpfiles", "--create"],
    ["systemctl", "daemon-reload"],
    ["systemctl", "enable", "--now", ...units],
  ]) {
    const [name = "", ...args] = command;
    const ran = await guest.run(name, args);
    guest.check(command.join(" "), ran.status === 0, ran);
  }
  await guest.stewardAnswers();
  await firstAdministrator(guest);
  await confined(guest);
}

async function firstAdministrator(guest: Guest): Promise<void> {
  const added = await addUser(guest);
  guest.check("steward user add makes the first administrator", added.status === 0, added);
  const session = await signIn(guest);
  guest.check("who can sign in", session.status === 200, session.body);
  const { body } = await guest.http("/api/health", { token: String(session.body.access_token) });
  const troubles = (body.checks as { name: string; status: string }[]).filter(
    ({ name, status }) => name !== "time" && status !== "ok",
  );
  guest.check("nothing but the clock, which no server confirms, is in trouble", troubles.length === 0, body);
}

/** Owners as they are to be, and the exposure that docs/install.md says, of the units without the container's drop-ins. */
async function confined(guest: Guest): Promise<void> {
  const paths = {
    "/usr/lib/steward/main.js": "root root 755",
    "/usr/lib/systemd/system/steward.service": "root root 644",
    "/etc/steward": "root root 755",
    "/var/lib/steward": "steward steward 700",
    "/var/lib/steward/users.json": "steward steward 600",
    "/var/lib/steward-releases": "root root 755",
    "/var/lib/steward-trust": "root root 700",
    "/run/steward/steward.sock": "steward steward 600",
  };
  for (const [path, wanted] of Object.entries(paths)) {
    const { stdout } = await guest.run("stat", ["-c", "%U %G %a", path]);
    guest.check(`${path} is ${wanted}`, stdout.trim() === wanted, stdout);
  }
  const installed = await guest.run("find", ["/usr/lib/steward", "!", "-user", "root", "-print"]);
  guest.check("the whole program belongs to root", installed.stdout === "", installed.stdout);
  const bounds = {
    "steward.service": 1.8,
    "steward-install@.service": 2.4,
    "steward-guard.service": 2.1,
    "steward-guard-boot.service": 1.4,
    "steward-rescue.service": 1.8,
    "steward-product@.service": 2.7,
    "steward-helper.service": 1,
  };
  for (const [unit, bound] of Object.entries(bounds)) {
    const file = `/usr/lib/systemd/system/${unit}`;
    const security = ["security", "--offline=true", "--no-pager", file];
    const { stdout } = await guest.run("systemd-analyze", security);
    const exposure = Number(/Overall exposure level for \S+: ([\d.]+)/.exec(stdout)?.[1]);
    guest.check(`the exposure of ${unit} is at most ${bound}`, exposure <= bound, exposure);
    guest.figure(`the exposure of ${unit} by systemd-analyze security`, exposure, "of 10");
  }
  const agent = "/usr/lib/systemd/system/steward.service";
  const script =
    "mkdir /tmp/t && cat $1 $1.d/10-timekeeper.conf >/tmp/t/steward.service && systemd-analyze security --offline=true --no-pager /tmp/t/steward.service";
  const { stdout } = await guest.run("sh", ["-c", script, "sh", agent]);
  const steering = Number(/Overall exposure level for \S+: ([\d.]+)/.exec(stdout)?.[1]);
  guest.check(
    "the exposure of steward.service with steward-timekeeper is at most 2.0",
    steering <= 2,
    steering,
  );
  guest.figure("the exposure of steward.service with steward-timekeeper", steering, "of 10");
}

async function nextBoot(guest: Guest): Promise<void> {
  await guest.stewardAnswers();
  const session = await signIn(guest);
  guest.check("it comes up at the next boot, with its administrator", session.status === 200, session.body);
  const failed = await guest.run("systemctl", ["--failed", "--no-legend", "--no-pager"]);
  guest.check("no unit of the machine has failed", failed.stdout.trim() === "", failed.stdout);
  const verified = await guest.steward("events", "--verify", "--against-journal");
  guest.check("and the event log is unbroken", verified.status === 0, verified);
}

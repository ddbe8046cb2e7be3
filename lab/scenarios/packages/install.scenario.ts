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
  for (const command of ["systemd-sysusers", "systemd-tmpfiles --create", "systemctl daemon-reload"])
    await guest.types(command);
  await guest.types(`systemctl enable --now ${units.join(" ")}`);
  await guest.stewardAnswers();
  await addUser(guest);
  const session = await signIn(guest);
  guest.check("the first administrator signs in", session.status === 200, session.body);
  const { body } = await guest.http("/api/health", { token: String(session.body.access_token) });
  const checks = body.checks as { name: string; status: string }[];
  const troubles = checks.filter(({ name, status }) => name !== "time" && status !== "ok");
  guest.check("nothing but the clock, which no server confirms, is in trouble", troubles.length === 0, body);
  for (const [path, wanted] of Object.entries(owners))
    await guest.types(`stat -c '%U %G %a' ${path}`, { says: wanted, what: `${path} is ${wanted}` });
  await guest.types('[ -z "$(find /usr/lib/steward ! -user root)" ]', {
    what: "the program belongs to root",
  });
}

const owners = {
  "/usr/lib/steward/main.js": "root root 755",
  "/usr/lib/systemd/system/steward.service": "root root 644",
  "/etc/steward": "root root 755",
  "/var/lib/steward": "steward steward 700",
  "/var/lib/steward/users.json": "steward steward 600",
  "/var/lib/steward-releases": "root root 755",
  "/var/lib/steward-trust": "root root 700",
  "/run/steward/steward.sock": "steward steward 600",
};

async function nextBoot(guest: Guest): Promise<void> {
  await guest.stewardAnswers();
  const session = await signIn(guest);
  guest.check("it comes up at the next boot, with its administrator", session.status === 200, session.body);
  await guest.types('[ -z "$(systemctl --failed --no-legend --no-pager)" ]', { what: "no unit has failed" });
  await guest.types("steward events --verify --against-journal");
}

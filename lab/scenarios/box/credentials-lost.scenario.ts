import { existsSync } from "node:fs";
import type { Guest } from "../../machines/guest/vocabulary.ts";
import type { TieredScenario } from "../../machines/scenario.ts";
import { signIn } from "../people.ts";
import { next } from "./rescue-situations.ts";

const administrator = {
  username: "anna",
  password_hash:
    "$argon2id$v=19$m=19456,t=2,p=1$IbRrrn3qURkVK8gniRPyRg$ETf923BMzcgZZK8RYIL92BHY69aEMHBj68pEM5w//qE",
};
const file = "/etc/steward/first-admin.json";
const key = "/etc/credstore/steward.key";
const token = "/run/steward/setup-token";

/** As distrobuilder puts it into images for LXC and Incus. */
const ofContainer = `[Service]
ProcSubset=all
ProtectProc=default
ProtectControlGroups=no
ProtectKernelTunables=no
NoNewPrivileges=no
LoadCredential=
`;

export const scenario: TieredScenario = {
  title:
    "a container that resets the unit keeps what an installer laid down from the agent: people hear of it, and setup stays shut",
  tiers: { container: {} },
  timeoutSeconds: 240,
  files: {
    [file]: JSON.stringify(administrator),
    "/etc/systemd/system/service.d/zzz-lxc-service.conf": ofContainer,
  },
  boots: [
    {
      units: [],
      run: async (guest) => {
        const umask = "umask 077; mkdir -p /etc/credstore; openssl rand -hex 32";
        await guest.run("sh", ["-c", `chmod 600 ${file}; ${umask} >${key}`]);
        await guest.run("systemctl", ["start", "steward.service"]);
        await guest.stewardAnswers();
        await isSaid(guest);
        await isShut(guest);
        await isLessProtected(guest);
        await isHandedOver(guest);
      },
    },
  ],
};

interface Needed {
  readonly code: string;
  readonly level: string;
  readonly facts: { readonly reason?: string; readonly path?: string; readonly members?: readonly string[] };
}

async function needed(guest: Guest, reason: string): Promise<Needed | undefined> {
  const { needs } = (await guest.api("/api/status")) as { needs: readonly Needed[] };
  return needs.find(({ facts }) => facts.reason === reason);
}

async function isSaid(guest: Guest): Promise<void> {
  const need = await needed(guest, "credential_lost");
  guest.check("status has the file that did not arrive", need?.facts.path === file, need ?? "no such need");
  const { stdout: listed } = await guest.steward("status");
  guest.check("and says so in words", listed.includes(file), listed);
}

async function isShut(guest: Guest): Promise<void> {
  guest.check("there is no setup token", !existsSync(token));
  for (const words of [[], ["--new"]]) {
    const ran = await guest.steward("setup-token", ...words);
    const isRefused = ran.status === 3 && ran.stderr.includes(file) && ran.stderr.includes("LoadCredential=");
    guest.check(`steward setup-token ${words.join(" ")} says why, and the line`, isRefused, ran);
  }
  const greeting = await guest.http("/api/console");
  guest.check("the page for setup says it", String(greeting.body.banner).includes(file), greeting.body);
  const body = {
    setup_token: "guess-a-token-of-this-length",
    username: "eve",
    password: "seven quiet owls at dusk",
  };
  const made = await guest.http("/api/setup", { body });
  const isNamed = made.status === 401 && String(made.body.detail).includes(file);
  guest.check("no token makes an administrator, and the answer says why", isNamed, made.body);
}

async function isLessProtected(guest: Guest): Promise<void> {
  const need = await guest.until("the self-check has looked", 60, () => needed(guest, "sandbox_reduced"));
  // This computer's kind of hierarchy decides whether the control groups are seen as well.
  const isIt = need.level === "attention" && need.facts.members?.includes("ProtectProc") === true;
  guest.check("the protection that the container has taken off is named", isIt, need);
  const health = await guest.run("sh", ["-c", "steward -o json doctor | grep -c sandbox_reduced"]);
  guest.check("by doctor, too", health.stdout.trim() !== "0", health);
  const readiness = await guest.api("/api/health/ready").catch(String);
  guest.check("the program is ready even so", !String(readiness).includes("not_ready"), readiness);
}

async function isHandedOver(guest: Guest): Promise<void> {
  const line = await next(guest);
  guest.check("doctor's last line hands both over", line.includes(file) && line.includes(key), line);
  const ran = await guest.run("sh", ["-c", line]);
  guest.check("it can be typed as it is", ran.status === 0, ran);
  await guest.stewardAnswers();
  const session = await signIn(guest, "anna");
  guest.check("the administrator of the file signs in", session.status === 200, session.body);
  guest.check("and nothing is lost any more", (await needed(guest, "credential_lost")) === undefined);
  const setup = await guest.steward("setup-token");
  guest.check("setup is done", setup.status === 3 && setup.stderr.includes("setup is done"), setup);
}

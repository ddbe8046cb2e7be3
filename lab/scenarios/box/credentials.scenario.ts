import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import type { Guest } from "../../machines/guest/vocabulary.ts";
import type { TieredScenario } from "../../machines/scenario.ts";
import { signIn } from "../people.ts";

const administrator = {
  username: "anna",
  password_hash:
    "$argon2id$v=19$m=19456,t=2,p=1$IbRrrn3qURkVK8gniRPyRg$ETf923BMzcgZZK8RYIL92BHY69aEMHBj68pEM5w//qE",
};
const dropIn = "/etc/systemd/system/steward.service.d/encrypted.conf";
const ownKey = "/var/lib/steward/.seal.key";

/** docs/install.md, "Provisioning": what an image brings, and what the device makes of it at its first start. */
export const scenario: TieredScenario = {
  title:
    "a provisioned device begins with its administrator, its first API token and its sealing key, encrypted or not",
  tiers: { container: {} },
  timeoutSeconds: 240,
  keepsDisk: true,
  files: { "/etc/steward/first-admin.json": JSON.stringify(administrator) },
  boots: [
    {
      units: [],
      run: async (guest) => {
        const token = await prepared(guest);
        await plainKey(guest);
        await guest.run("systemctl", ["start", "steward.service"]);
        await guest.stewardAnswers();
        await begins(guest, token);
        await restarted(guest, token);
        await encryptedKey(guest);
      },
    },
  ],
};

async function prepared(guest: Guest): Promise<string> {
  const file = "/etc/steward/first-token.json";
  const words = ["--user", "anna", "--name", "fleet", "--scope", "system:read"];
  const ran = await guest.steward("token", "prepare", file, ...words);
  guest.check("steward token prepare writes the file of a token", ran.status === 0, ran);
  await guest.run("systemd-tmpfiles", ["--create"]);
  for (const path of ["/etc/steward/first-admin.json", file]) {
    const { stdout } = await guest.run("stat", ["-c", "%U %G %a", path]);
    guest.check(`${path} is root's alone`, stdout.trim() === "root root 600", stdout);
  }
  return ran.stdout.trim();
}

async function plainKey(guest: Guest): Promise<void> {
  mkdirSync("/etc/credstore", { recursive: true, mode: 0o700 });
  await guest.run("sh", ["-c", "umask 077 && openssl rand -hex 32 >/etc/credstore/steward.key"]);
}

async function begins(guest: Guest, token: string): Promise<void> {
  const session = await signIn(guest, "anna");
  guest.check("the first administrator signs in", session.status === 200, session.body);
  const status = await guest.http("/api/status", { token });
  guest.check("the first API token is good", status.status === 200, status.body);
  guest.check("for its scopes alone", (await guest.http("/api/events", { token })).status === 403);
  guest.check("the agent takes the key of /etc/credstore, and makes none", !existsSync(ownKey));
  const listed = await guest.run("sh", [
    "-c",
    "systemctl show --value --property=Environment,StatusText steward; find /run/credentials -user steward -size +1c -printf '%f %m\n' 2>/dev/null",
  ]);
  guest.note(listed.stdout.trim().replaceAll("\n", " | "));
}

/** A deleted account does not come back, although the file is still there. */
async function restarted(guest: Guest, token: string): Promise<void> {
  const listed = await guest.steward("-o", "json", "token", "list");
  const [{ id }] = (JSON.parse(listed.stdout) as { items: [{ id: string }] }).items;
  await guest.steward("token", "rm", id, "--yes");
  await guest.run("systemctl", ["restart", "steward.service"]);
  await guest.stewardAnswers();
  guest.check("once deleted, it stays so", (await guest.http("/api/status", { token })).status === 401);
}

/** The same key, encrypted by systemd-creds: at rest the disk has it in no form that opens elsewhere. */
async function encryptedKey(guest: Guest): Promise<void> {
  const store = "/etc/credstore.encrypted";
  mkdirSync(store, { recursive: true, mode: 0o700 });
  const words = ["--name=steward.key", "/etc/credstore/steward.key", `${store}/steward.key`];
  const encrypted = await guest.run("systemd-creds", ["encrypt", "--with-key=host", ...words]);
  guest.check("systemd-creds encrypts it", encrypted.status === 0, encrypted);
  rmSync("/etc/credstore/steward.key");
  mkdirSync("/etc/systemd/system/steward.service.d", { recursive: true });
  writeFileSync(dropIn, "[Service]\nLoadCredentialEncrypted=steward.key\n");
  await guest.run("systemctl", ["daemon-reload"]);
  const ran = await guest.run("systemctl", ["restart", "steward.service"]);
  guest.check("the unit starts with the encrypted key", ran.status === 0, ran);
  await guest.stewardAnswers();
  guest.check("the agent takes it, and still makes none", !existsSync(ownKey));
  const session = await signIn(guest, "anna");
  const health = await guest.http("/api/health", { token: String(session.body.access_token) });
  const named = (health.body.checks as { name: string; status: string }[]).find(
    ({ name }) => name === "two-factor key",
  );
  guest.check("and nothing is wrong with it", named?.status === "ok", health.body);
}

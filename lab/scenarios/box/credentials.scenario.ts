import type { Guest } from "../../machines/guest/vocabulary.ts";
import type { TieredScenario } from "../../machines/scenario.ts";
import { signIn } from "../people.ts";

const administrator = {
  username: "anna",
  password_hash:
    "$argon2id$v=19$m=19456,t=2,p=1$IbRrrn3qURkVK8gniRPyRg$ETf923BMzcgZZK8RYIL92BHY69aEMHBj68pEM5w//qE",
};

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
        await begins(guest, await prepared(guest));
        await encryptedKey(guest);
      },
    },
  ],
};

/** The token's text, and the sealing key that a unit finds in /etc/credstore. */
async function prepared(guest: Guest): Promise<string> {
  const file = "/etc/steward/first-token.json";
  const token = await guest.types(
    `steward token prepare ${file} --user anna --name fleet --scope system:read 2>/dev/null`,
  );
  await guest.types("systemd-tmpfiles --create; stat -c '%U %G %a' /etc/steward/first-*.json", {
    says: "root root 600\nroot root 600\n",
  });
  await guest.types(
    "umask 077; mkdir -p /etc/credstore; openssl rand -hex 32 >/etc/credstore/steward.key; systemctl start steward",
  );
  await guest.stewardAnswers();
  return token.trim();
}

const makesNone = "! ls /var/lib/steward/.seal.key";

async function begins(guest: Guest, token: string): Promise<void> {
  const session = await signIn(guest, "anna");
  guest.check("the first administrator signs in", session.status === 200, session.body);
  const ends = async () =>
    [await guest.http("/api/status", { token }), await guest.http("/api/events", { token })]
      .map(({ status }) => status)
      .join();
  const first = await ends();
  guest.check("the first API token is good for its scopes alone", first === "200,403", first);
  await guest.types(makesNone, { what: "the agent takes the key of /etc/credstore, and makes none" });
  await guest.types(
    'steward token rm --yes $(steward -o json token list | sed -n \'s/.*"id": "\\(.*\\)".*/\\1/p\')',
  );
  await guest.restarts();
  const last = await ends();
  guest.check("once deleted, it stays so, although its file is there", last === "401,401", last);
}

/** The same key, encrypted by systemd-creds: at rest the disk has it in no form that opens elsewhere. */
async function encryptedKey(guest: Guest): Promise<void> {
  const [store, dropIns] = ["/etc/credstore.encrypted", "/etc/systemd/system/steward.service.d"];
  await guest.types(`mkdir -m 700 -p ${store}; mkdir -p ${dropIns}
systemd-creds encrypt --with-key=host --name=steward.key /etc/credstore/steward.key ${store}/steward.key
rm /etc/credstore/steward.key; printf '[Service]\nLoadCredentialEncrypted=steward.key\n' >${dropIns}/encrypted.conf
systemctl daemon-reload; systemctl restart steward`);
  await guest.stewardAnswers();
  await guest.types(makesNone, { what: "the agent takes the encrypted one, and still makes none" });
  const session = await signIn(guest, "anna");
  const health = await guest.http("/api/health", { token: String(session.body.access_token) });
  const checks = health.body.checks as { name: string; status: string }[];
  const isWell = checks.some(({ name, status }) => name === "two-factor key" && status === "ok");
  guest.check("and nothing is wrong with it", isWell, checks);
}

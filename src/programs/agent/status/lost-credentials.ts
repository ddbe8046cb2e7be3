import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { ApiTokens } from "../../../accounts/tokens/api-tokens.ts";
import type { Accounts } from "../../../accounts/users/accounts.ts";
import { finding, line } from "../../../contract/finding.ts";
import type { Finding } from "../../../contract/types.ts";
import { keptHostFile } from "../../host-file/host-file.ts";
import type { RoomsConfig } from "../config.ts";

/** Credentials that root has put on this device, and systemd has not handed over: a container or a drop-in resets the unit. */
export type LostCredentials = Awaited<ReturnType<typeof readLostCredentials>>;

type Config = Pick<RoomsConfig, "credentialsDirectory" | "hostFile" | "mayAskRoot" | "oidc">;

/** At each start the launcher notes them for the agent, which may not look into all of their places. */
export async function readLostCredentials(
  config: Config,
  { accounts, apiTokens }: { accounts: Accounts; apiTokens: ApiTokens },
) {
  const needed: Readonly<Record<string, () => boolean>> = {
    "steward.admin": () => !accounts.hasAdministrator(),
    "steward.token": () => apiTokens.isProvisioned(null),
    "steward.key": () => true,
    "steward.oidc": () => config.oidc !== null,
  };
  const noted = await lostAmongNoted(config);
  const lost = () => noted.filter(([name]) => needed[name]?.());
  return {
    trouble: (): Finding | null => {
      const [first] = lost();
      return first ? finding("credential_lost", { path: first[1] }, "", line(handingOver(lost()))) : null;
    },
    /** The reason why no setup token may make an administrator, since another one is meant to be; null: one may. */
    withholding: (): string | null => {
      const [, path] = lost().find(([name]) => name === "steward.admin") ?? [];
      return path === undefined
        ? null
        : `${path} names the first administrator, but systemd has not handed it to the agent, so no setup token makes another one. On the device, as root: \`steward doctor\` says the line that hands it over.`;
    },
  };
}

type Noted = readonly [name: string, path: string];

async function lostAmongNoted(config: Config): Promise<readonly Noted[]> {
  // A trial with a state of its own is given none.
  if (config.credentialsDirectory === undefined && !config.mayAskRoot) return [];
  const note = join(dirname(keptHostFile(config.hostFile)), "credentials");
  const text = await readFile(note, "utf8").catch(() => "");
  const lost = new Map<string, string>();
  for (const [, name = "", path = ""] of text.matchAll(/^(\S+) (\S+)$/gm))
    if (!lost.has(name) && (await credentialOf(config, name)) === null) lost.set(name, path);
  return [...lost];
}

/** A drop-in that comes behind those of a container (zzz-lxc-service.conf). */
const dropIn = "/etc/systemd/system/steward.service.d/zzzz-credentials.conf";

function handingOver(lost: readonly Noted[]): string {
  const settings = lost.map(
    ([name, path]) => `LoadCredential${path.includes("encrypted/") ? "Encrypted" : ""}=${name}:${path}\\n`,
  );
  return `mkdir -p ${dirname(dropIn)}; printf '[Service]\\n${settings.join("")}' >${dropIn}; systemctl daemon-reload; systemctl restart steward.service`;
}

/** null: there is none. The unit gives a blank credential where there is none. */
export async function credentialOf(
  { credentialsDirectory }: Pick<RoomsConfig, "credentialsDirectory">,
  name: string,
): Promise<Buffer | null> {
  if (credentialsDirectory === undefined) return null;
  const bytes = await readFile(join(credentialsDirectory, name)).catch(() => Buffer.alloc(0));
  return bytes.toString("latin1").trim() === "" ? null : bytes;
}

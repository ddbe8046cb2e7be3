import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import {
  hostStart,
  temporaryDirectory,
  temporaryDocument,
  virtualHost,
} from "../../../lab/simulated/virtual-host.ts";
import { createSeal } from "../../../src/accounts/second-factor/seal.ts";
import {
  type ApiTokensState,
  apiTokensKind,
  type StoredApiToken,
} from "../../../src/accounts/tokens/api-token.ts";
import { type Account, accountsKind } from "../../../src/accounts/users/account.ts";
import { shutOut } from "../../../src/accounts/users/administrators.ts";
import { systemErrorCode } from "../../../src/contract/errors.ts";
import type { Configuration } from "../../../src/contract/types.ts";
import {
  type ConfiguratorOptions,
  createConfigurator,
} from "../../../src/device/configuration/configuration.ts";
import { createOrder, type Order, type Present } from "../../../src/device/configuration/order.ts";
import type { Transaction } from "../../../src/device/configuration/transaction.ts";
import { createTimers } from "../../../src/host/linux/timers.ts";
import { defaultSettings } from "../../../src/programs/agent/documents.ts";
import { settingsKind } from "../../../src/system/settings/settings.ts";

/** Makes a hash with the cost of a device's own hashes, which belongs to no password. */
export const hashOf = (sign: string, cost = "m=19456,t=2,p=1") =>
  `$argon2id$v=19$${cost}$${sign.repeat(22)}$${sign.repeat(43)}`;

export const accountOf = (username: string, members: Partial<Account> = {}): Account => ({
  id: `usr_${Buffer.from(username).toString("hex").padEnd(32, "0")}`,
  ...{ username, display_name: "", role: "readonly", enabled: true },
  ...{ password_hash: hashOf("A"), password_state: "chosen", two_factor: null, provider: null },
  ...{ created_at: "2026-11-01T00:00:00.000Z", updated_at: "2026-11-01T00:00:00.000Z", last_login_at: null },
  ...members,
});

export const tokenOf = (
  sign: string,
  owner: Account,
  members: Partial<StoredApiToken> = {},
): StoredApiToken => ({
  ...{ id: `tok_${sign.repeat(32)}`, user_id: owner.id, name: `token ${sign}`, hash: sign.repeat(64) },
  ...{ scopes: ["system:read"], sources: [], is_fleet: false, suspended: false, is_dead: false },
  ...{ created_at: "2026-11-01T00:00:00.000Z", lifetime_seconds: 90 * 86_400 },
  ...{ expires_at: "2027-01-30T00:00:00.000Z", is_dated: true, last_used_at: null, last_used_from: null },
  ...members,
});

export const anna = accountOf("anna", { role: "admin" });
export const berta = accountOf("berta", { role: "operator", display_name: "Berta" });

export const settings = defaultSettings({});

/** A state with these accounts and tokens. */
export const presentOf = (
  accounts: readonly Account[] = [anna, berta],
  tokens: readonly StoredApiToken[] = [],
): Present => ({ users: { accounts }, tokens: { tokens, provisioned: null }, settings });

/** Makes the order of a file at the start of the virtual host. */
export const orderOf = (configuration: Omit<Configuration, "version">, isClockTrusted = true): Order =>
  createOrder({ version: 1, ...configuration }, hostStart, isClockTrusted);

interface DeviceOptions extends Partial<ConfiguratorOptions> {
  readonly present?: Present;
  readonly isClockTrusted?: boolean;
}

/** A device's configurator over real files, with a root of trust and consequences of the test's own. */
export async function virtualDevice({
  present = presentOf(),
  isClockTrusted = true,
  ...given
}: DeviceOptions = {}) {
  const directory = await temporaryDirectory();
  const host = virtualHost({ trust: isClockTrusted ? "trusted" : "none" });
  const users = await temporaryDocument(accountsKind);
  const tokens = await temporaryDocument<ApiTokensState>(apiTokensKind);
  const ownSettings = await temporaryDocument(settingsKind(settings));
  await users.update(() => present.users);
  await tokens.update(() => present.tokens);
  await ownSettings.update(() => present.settings);
  const path = join(directory, ".transaction.json");
  const world = {
    installed: null as Uint8Array | null,
    followed: [] as { endSessions: readonly string[]; forget: readonly object[]; changes: string[] }[],
    follow: async (): Promise<void> => undefined,
  };
  const configurator = createConfigurator({
    ...{ directory, users, tokens, settings: ownSettings, seal: createSeal([]) },
    ...{ time: host.time, timers: createTimers() },
    settingFaults: () => [],
    shutOut: (before, after) => shutOut(before, after, { hasKey: () => true, isSignedIn: () => false }),
    settingRefusal: async () => null,
    readInstalledRoot: async () => world.installed,
    follow: async ({ endSessions, forget }, changes) => {
      const named = changes.map(({ action, subject, name }) => `${action} ${subject} ${name}`.trim());
      world.followed.push({ endSessions, forget, changes: named });
      await world.follow();
    },
    ...given,
  });
  const whole = (file: Omit<Configuration, "version">) => ({ version: 1, ...file }) as Configuration;
  return {
    ...{ directory, host, world, configurator, users, tokens, settings: ownSettings },
    apply: (file: Omit<Configuration, "version">, check = false) => configurator.apply(whole(file), check),
    faultsOf: async (file: Omit<Configuration, "version">) =>
      (await configurator.faultsOf(whole(file))).map(({ pointer, code }) => `${pointer} ${code}`),
    present: (): Present => ({ users: users.read(), tokens: tokens.read(), settings: ownSettings.read() }),
    decided: async (): Promise<Transaction | null> => {
      const text = await readFile(path, "utf8").catch((error: unknown) => {
        if (systemErrorCode(error) === "ENOENT") return null;
        throw error;
      });
      return text === null ? null : (JSON.parse(text) as Transaction);
    },
    /** As an interrupted process has left it. */
    leave: (transaction: Partial<Transaction> & { order: Order }) =>
      writeFile(path, JSON.stringify({ version: 1, endSessions: [], forget: [], ...transaction })),
  };
}

import { openedOrNull, type Seal } from "../../accounts/second-factor/seal.ts";
import { sealForDevice, secretProblem, transportKey } from "../../accounts/second-factor/transport.ts";
import type { StoredApiToken } from "../../accounts/tokens/api-token.ts";
import { isOver } from "../../accounts/tokens/token-ends.ts";
import { noEnd } from "../../accounts/tokens/token-rights.ts";
import type { Account } from "../../accounts/users/account.ts";
import { mostEntries } from "../../contract/configuration.ts";
import { StewardError } from "../../contract/errors.ts";
import { settings as settingsSchema } from "../../contract/schemas/settings.ts";
import { tokenLifeSeconds } from "../../contract/schemas/tokens.ts";
import { scopeNames } from "../../contract/scopes.ts";
import type { Configuration, ExportedConfiguration } from "../../contract/types.ts";
import { onlyKnown } from "../../store/validation/members.ts";
import { withoutSecrets } from "../../store/validation/secrets.ts";
import { readRootToInstall } from "../../tuf/root-of-trust.ts";
import { configurationFaults } from "./faults.ts";
import { createOrder, type Present } from "./order.ts";
import type { ConfiguredToken } from "./planned-tokens.ts";
import type { ConfiguredUser } from "./planned-users.ts";

/** A device, as far as a file of `steward apply` can describe it. */
interface ExportSource {
  readonly present: Present;
  readonly seal: Seal;
  /** The time that ends of tokens are judged by. */
  readonly expiryNow: Date;
  /** The root of trust of updates that root has installed; null: none. Throws `update_root_unusable`. */
  readonly readInstalledRoot: () => Promise<Uint8Array | null>;
}

export interface ExportOptions {
  /**
   * Neither hashes of passwords, nor second factors, nor tokens, which a file names by their hash; secrets of the settings in
   * the form in which they are shown, which this device takes for its own.
   */
  readonly withoutSecrets: boolean;
  /** The key of the device that second factors are sealed to; null: this device's own. */
  readonly sealTo: string | null;
}

type LeftOut = ExportedConfiguration["left_out"][number];
type Leave = (subject: LeftOut["subject"], name: string, detail: string) => void;

/**
 * Writes a device as a file that changes nothing there. Users of a sign-in provider and expired tokens are not in it;
 * neither is anything that this device would refuse, which `left_out` names. Throws `validation_failed` if there are
 * more users or tokens than a file may have, or nothing can be sealed to the key.
 */
export async function exportConfiguration(
  source: ExportSource,
  options: ExportOptions,
): Promise<ExportedConfiguration> {
  const left_out: LeftOut[] = [];
  const leave: Leave = (subject, name, detail) => void left_out.push({ subject, name, detail });
  const root = await rootOf(source, leave);
  const { accounts } = source.present.users;
  const local = accounts.filter(({ provider }) => provider === null).sort(by(({ username }) => username));
  const users: ConfiguredUser[] = [];
  for (const account of local) users.push(await userOf(account, source, options, leave));
  const tokens = options.withoutSecrets ? null : tokensOf(source, local, leave);
  refuseSurplus("users", users);
  refuseSurplus("API tokens", tokens ?? []);
  const present = onlyKnown(settingsSchema, source.present.settings);
  const settings = options.withoutSecrets ? withoutSecrets(settingsSchema, present) : present;
  const file: Configuration = { version: 1, users, ...(tokens && { tokens }), settings };
  return {
    configuration: { ...withoutRefused(source, file, leave), ...(root !== null && { update_root: root }) },
    left_out,
  };
}

async function userOf(
  account: Account,
  source: ExportSource,
  options: ExportOptions,
  leave: Leave,
): Promise<ConfiguredUser> {
  const { username: name, role, display_name, enabled } = account;
  const user = { name, role, display_name, enabled };
  if (options.withoutSecrets) return user;
  const sealed = await factorOf(account, source.seal, options.sealTo, leave);
  const isChosen = account.password_state === "chosen";
  if (!isChosen) leave("user", name, "the password is good for one sign-in, and not for a file");
  return {
    ...user,
    ...(isChosen && { password_hash: account.password_hash }),
    ...(sealed !== null && { second_factor: { sealed } }),
  };
}

/** null: the user has no second factor, or it cannot be opened here. */
async function factorOf(
  { id, username, two_factor }: Account,
  seal: Seal,
  sealTo: string | null,
  leave: Leave,
): Promise<string | null> {
  if (two_factor === null) return null;
  const key = sealTo ?? (await transportKey(seal));
  const secret = openedOrNull(seal, two_factor.sealed_secret, id);
  if (key !== null && secret !== null && secretProblem(secret) === null)
    return sealForDevice(secret, username, key);
  leave("user", username, "the second factor cannot be opened: `steward doctor` says why");
  return null;
}

function tokensOf(
  { present, expiryNow }: ExportSource,
  owners: readonly Account[],
  leave: Leave,
): ConfiguredToken[] {
  const names = new Map(owners.map(({ id, username }) => [id, username]));
  const tokens = present.tokens.tokens.flatMap((token): ConfiguredToken[] => {
    const user = names.get(token.user_id);
    if (user === undefined || isOver(token, expiryNow)) return [];
    if (token.suspended) {
      leave("token", `${user}/${token.name}`, "it is suspended: `steward token resume`");
      return [];
    }
    const scopes = scopeNames.filter((scope) => token.scopes.includes(scope));
    if (scopes.length < token.scopes.length) {
      leave("token", `${user}/${token.name}`, "it has a scope that this release does not know");
      return [];
    }
    const { hash: token_hash, name, sources, is_fleet, pages } = token;
    const rest = { ...(sources.length > 0 && { sources: [...sources] }), ...(is_fleet && { is_fleet }) };
    const bound = { ...rest, ...(pages && { pages: [...pages] }) };
    return [
      { token_hash, name, user, scopes: scopes as ConfiguredToken["scopes"], ...endOf(token), ...bound },
    ];
  });
  return tokens.sort(by(({ user, name, token_hash }) => `${user} ${name} ${token_hash}`));
}

function endOf({ expires_at, is_dated, lifetime_seconds }: StoredApiToken): Partial<ConfiguredToken> {
  if (expires_at === noEnd) return { no_expiry: true };
  // The life of a token that was made before the clock was trusted has not begun.
  if (!is_dated && lifetime_seconds >= tokenLifeSeconds.shortest)
    return { expires_in: `${Math.ceil(lifetime_seconds)}s` };
  return { expires_at };
}

/** The file without the hashes and tokens that this device would refuse, such as a token of a user who may do less now. */
function withoutRefused(
  { present, expiryNow }: ExportSource,
  file: Configuration,
  leave: Leave,
): Configuration {
  const faults = configurationFaults(present, createOrder(file, expiryNow, true), () => []);
  const refusal = (pointer: string) =>
    faults.find((fault) => fault.pointer === pointer || fault.pointer.startsWith(`${pointer}/`));
  const users = file.users?.map((user, index) => {
    const fault = refusal(`/users/${index}/password_hash`);
    if (fault === undefined) return user;
    leave("user", user.name, `the hash of the password ${fault.detail}`);
    const { password_hash: _, ...rest } = user;
    return rest;
  });
  const tokens = file.tokens?.filter(({ user, name }, index) => {
    const fault = refusal(`/tokens/${index}`);
    if (fault === undefined) return true;
    leave("token", `${user}/${name}`, `its member ${fault.pointer.split("/").at(-1)} ${fault.detail}`);
    return false;
  });
  return { ...file, ...(users && { users }), ...(tokens && { tokens }) };
}

/** null: none is installed, or none that can be used. */
async function rootOf({ readInstalledRoot }: ExportSource, leave: Leave) {
  try {
    const bytes = await readInstalledRoot();
    if (bytes === null) return null;
    readRootToInstall(bytes);
    return JSON.parse(Buffer.from(bytes).toString("utf8")) as NonNullable<Configuration["update_root"]>;
  } catch (error) {
    if (!(error instanceof StewardError)) throw error;
    leave("update_root", "", error.message);
    return null;
  }
}

function refuseSurplus(what: string, entries: readonly unknown[]): void {
  if (entries.length <= mostEntries) return;
  throw new StewardError(
    "validation_failed",
    `This device has ${entries.length} ${what}, and a file may have ${mostEntries}, so that no file can say what it is.`,
  );
}

/** By code units: the same order on each device, whatever its language. */
function by<T>(keyOf: (one: T) => string): (a: T, b: T) => number {
  return (a, b) => (keyOf(a) < keyOf(b) ? -1 : 1);
}

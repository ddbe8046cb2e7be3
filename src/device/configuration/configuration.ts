import { randomBytes } from "node:crypto";
import type { Seal } from "../../accounts/second-factor/seal.ts";
import { transportKey } from "../../accounts/second-factor/transport.ts";
import type { ApiTokensState } from "../../accounts/tokens/api-token.ts";
import type { TrustedTime } from "../../accounts/trusted-time.ts";
import type { Account, AccountsState } from "../../accounts/users/account.ts";
import type { Accounts } from "../../accounts/users/accounts.ts";
import { type Fault, type InputError, StewardError } from "../../contract/errors.ts";
import type {
  Configuration,
  ConfigurationChange,
  ConfigurationDigest,
  ExportedConfiguration,
  Settings,
  SettingsChange,
} from "../../contract/types.ts";
import type { Timers } from "../../host/ports.ts";
import type { Document } from "../../store/documents/document.ts";
import { oneAtATime } from "../../store/one-at-a-time.ts";
import { changesBetween } from "./changes.ts";
import { digestsOf } from "./digest.ts";
import { type AppliedConfiguration, appliedConfiguration, isEmpty } from "./drift.ts";
import { type ExportOptions, exportConfiguration } from "./export.ts";
import { administratorFaults, configurationFaults } from "./faults.ts";
import { createOrder, type Order, type Present } from "./order.ts";
import { planned, plannedSettings, requireSound } from "./plan.ts";
import { plannedTokens } from "./planned-tokens.ts";
import { plannedUsers } from "./planned-users.ts";
import { judgeFactors } from "./second-factors.ts";
import {
  keepAsApplied,
  readApplied,
  readTransaction,
  removeTransaction,
  type Transaction,
  writeTransaction,
} from "./transaction.ts";
import { installedFingerprint, judgeRoot, rootChanges } from "./update-root.ts";

/** Applies one document to a device: all of it or nothing. */
export type Configurator = ReturnType<typeof createConfigurator>;

export interface Applied {
  readonly changes: readonly ConfigurationChange[];
  /** Fingerprint of the root that root has to install first; the same request, or a start, then does the rest. null: done. */
  readonly awaits: string | null;
}

export interface ConfiguratorOptions {
  /** The state directory. */
  readonly directory: string;
  readonly users: Document<AccountsState>;
  readonly tokens: Document<ApiTokensState>;
  readonly settings: Document<Settings>;
  readonly seal: Seal;
  readonly time: Pick<TrustedTime, "now" | "expiryNow" | "isTrusted">;
  readonly timers: Timers;
  readonly settingFaults: (change: SettingsChange) => readonly Fault[];
  readonly shutOut: Accounts["shutOut"];
  readonly settingRefusal: (change: SettingsChange) => Promise<StewardError | null>;
  /** The root of trust of updates that root has installed; null: none. Throws `update_root_unusable`. */
  readonly readInstalledRoot: () => Promise<Uint8Array | null>;
  /** Makes the change's consequences in other rooms. It may be called twice. */
  readonly follow: (
    transaction: Transaction,
    changes: readonly ConfigurationChange[],
    present: Present,
  ) => Promise<void>;
}

interface Working extends ConfiguratorOptions {
  readonly last: ReturnType<typeof createLastApplied>;
}

export function createConfigurator(given: ConfiguratorOptions) {
  const options: Working = { ...given, last: createLastApplied(given) };
  /** One at a time: the next is judged by the state that the one before has made. */
  const inTurn = oneAtATime();
  // Without a sealing key the digests are other ones after each start.
  const [digestKey = randomBytes(32)] = given.seal.derived("steward configuration digest v1");
  let endAwaiting = (): void => undefined;
  return {
    /** `check`: only what would change. Throws `validation_failed` with all faults, `storage_full`, `storage_unwritable`. */
    apply: (configuration: Configuration, check: boolean): Promise<Applied> =>
      inTurn(async () => {
        const applied = await apply(options, configuration, check);
        if (!check) endAwaiting();
        if (applied.awaits !== null)
          endAwaiting = options.timers.after(
            awaitSeconds,
            () => void inTurn(() => resume(options)).catch(() => undefined),
          );
        return applied;
      }),
    /** All faults of a configuration, as far as it fits the schema. */
    faultsOf: async (configuration: Configuration): Promise<readonly Fault[]> =>
      faultsOf(options, await orderOf(options, configuration)),
    /** This device as a configuration that changes nothing here. Throws `validation_failed`. */
    export: (request: ExportOptions): Promise<ExportedConfiguration> => {
      const { seal, time, readInstalledRoot } = options;
      const source = { present: presentOf(options), seal, expiryNow: time.expiryNow(), readInstalledRoot };
      return exportConfiguration(source, request);
    },
    /** Digests of what the device is, and whether that is what the last configuration said. */
    digest: async (): Promise<ConfigurationDigest> => {
      const root = await installedFingerprint(options.readInstalledRoot);
      const applied = await options.last.read();
      const present = presentOf(options);
      return {
        ...digestsOf(present, root, digestKey),
        applied_at: applied?.at ?? null,
        drift: applied?.isLeft(present, root) ?? null,
      };
    },
    /**
     * True if the device is no longer what the last configuration said; null: none was applied, or it cannot be read. Only
     * the first call waits for the disk. `root`: fingerprint of the installed root of trust; null: none.
     */
    isLeft: async (root: string | null): Promise<boolean | null> =>
      (await options.last.read())?.isLeft(presentOf(options), root) ?? null,
    /** The key that second factors for this device are sealed to; null: it has no sealing key. */
    sealKey: (): Promise<string | null> => transportKey(options.seal),
    /**
     * Completes a transaction that an interrupted process had decided. null: there is none, or it awaited a root of trust
     * that is not installed, so that nothing was decided. Throws `state_damaged` if the transaction cannot be read, and
     * `validation_failed` if it would take the last administrator away.
     */
    resume: (): Promise<readonly ConfigurationChange[] | null> => inTurn(() => resume(options)),
  };
}

function createLastApplied({ directory }: ConfiguratorOptions) {
  let known: Promise<AppliedConfiguration | null> | undefined;
  return {
    /** null: none was, or it cannot be read. The disk is read once. */
    read: (): Promise<AppliedConfiguration | null> => {
      known ??= readApplied(directory).then(
        (applied) => applied && appliedConfiguration(applied.order),
        // It says nothing that the device hangs on: the next apply replaces it.
        () => null,
      );
      return known;
    },
    set: (order: Order): void => {
      known = Promise.resolve(appliedConfiguration(order));
    },
  };
}

async function apply(options: Working, configuration: Configuration, check: boolean): Promise<Applied> {
  const judged = await orderOf(options, configuration);
  const { order } = judged;
  refuse(await faultsOf(options, judged));
  const root = await judgeRoot(configuration, options.readInstalledRoot);
  const before = presentOf(options);
  const next = planned(before, order);
  requireSound(next);
  const changes = [...rootChanges(root), ...changesBetween(before, next)];
  if (check) return { changes, awaits: null };
  if (changes.length === 0) {
    await dropAwaiting(options.directory);
    await keepUnchanged(options, order);
    return { changes, awaits: null };
  }
  const awaits = root.change?.after.fingerprint;
  await requireSettled(options.directory);
  const transaction: Transaction = {
    ...{ version: 1, order, ...effectsOf(before, next) },
    ...(awaits !== undefined && { awaits }),
  };
  // Replaces a transaction that awaited a root: at no moment is a part of the two in force.
  await writeTransaction(options.directory, transaction);
  if (awaits !== undefined) return { changes, awaits };
  return { changes: await carryOut(options, transaction), awaits: null };
}

/** The device is as the configuration says already: from now on it is compared with this one. */
async function keepUnchanged({ directory, last }: Working, order: Order): Promise<void> {
  if (isEmpty(order.configuration) || (await last.read())?.isSame(order.configuration)) return;
  await requireSettled(directory);
  await writeTransaction(directory, { version: 1, order, endSessions: [], forget: [] });
  await keepAsApplied(directory);
  last.set(order);
}

/** A decided transaction must not be replaced: cut off then, the device would have a part of it. */
async function requireSettled(directory: string): Promise<void> {
  const former = await readTransaction(directory);
  if (former === null || former.awaits !== undefined) return;
  const detail = "An earlier configuration is not on the disk yet. Apply this one again in some seconds.";
  throw new StewardError("storage_unwritable", detail);
}

/**
 * Seconds that a transaction waits for its root of trust: changes that people make meanwhile must not be undone later.
 */
const awaitSeconds = 60;

/** Drops a transaction that awaits a root of trust, which has nothing to wait for any more. */
async function dropAwaiting(directory: string): Promise<void> {
  const transaction = await readTransaction(directory);
  if (transaction?.awaits !== undefined) await removeTransaction(directory);
}

async function resume(options: Working): Promise<readonly ConfigurationChange[] | null> {
  const transaction = await readTransaction(options.directory);
  if (transaction === null) return null;
  const { awaits } = transaction;
  if (awaits === undefined || awaits === (await installedFingerprint(options.readInstalledRoot)))
    return carryOut(options, transaction).catch(asDamage);
  await removeTransaction(options.directory);
  return null;
}

/** The file on the disk has a form that no order of this release has. */
function asDamage(cause: unknown): never {
  if (cause instanceof StewardError) throw cause;
  throw new StewardError("state_damaged", ".transaction.json cannot be carried out.", { cause });
}

/** The order, with its second factors, which are opened once, and their faults. */
async function orderOf({ time, users, seal }: ConfiguratorOptions, configuration: Configuration) {
  const order = createOrder(configuration, time.now(), time.isTrusted());
  const { secrets, faults } = await judgeFactors(configuration, users.read(), order.userIds, seal);
  return { order: { ...order, secondFactors: secrets }, factorFaults: faults };
}

function presentOf({ users, tokens, settings }: ConfiguratorOptions): Present {
  return { users: users.read(), tokens: tokens.read(), settings: settings.read() };
}

async function faultsOf(
  options: ConfiguratorOptions,
  { order, factorFaults }: Awaited<ReturnType<typeof orderOf>>,
): Promise<readonly Fault[]> {
  const { settings } = order.configuration;
  const refusal = settings === undefined ? null : await options.settingRefusal(settings);
  const root = await judgeRoot(order.configuration, options.readInstalledRoot);
  const present = presentOf(options);
  const faults = [
    ...configurationFaults(present, order, options.settingFaults),
    ...administratorFaults(
      options.shutOut(present.users, plannedUsers(present.users, order)),
      order.configuration,
    ),
    ...factorFaults,
    ...root.faults,
  ];
  if (refusal === null) return faults;
  const detail = `cannot be changed so: ${refusal.message}`;
  const refused: InputError = { pointer: "/settings", code: refusal.code, detail };
  return [...faults, { ...refused, as: "validation_failed", sentence: `/settings ${detail}` }];
}

/** Users whose sessions end, and those forgotten: a person with another password is not the one who signed in. */
function effectsOf(before: Present, after: Present): Pick<Transaction, "endSessions" | "forget"> {
  const left = new Map(after.users.accounts.map((account) => [account.id, account]));
  const gone = before.users.accounts.filter(({ id }) => !left.has(id));
  const ended = before.users.accounts.filter((account) => {
    const is = left.get(account.id);
    return is === undefined || !is.enabled || isOtherSignIn(account, is);
  });
  return {
    endSessions: ended.map(({ id }) => id),
    forget: gone.map(({ id, username }) => ({ id, username })),
  };
}

function isOtherSignIn(was: Account, is: Account): boolean {
  return is.password_hash !== was.password_hash || is.two_factor !== was.two_factor;
}

/** Changes all documents in memory at once, so no request sees a part; then the disk, one by one, or the next start does. */
async function carryOut(options: Working, transaction: Transaction): Promise<readonly ConfigurationChange[]> {
  const { directory, users, tokens, settings } = options;
  const { order } = transaction;
  const before = presentOf(options);
  const next = planned(before, order);
  const faults = administratorFaults(options.shutOut(before.users, next.users), order.configuration);
  if (faults.length > 0) await removeTransaction(directory);
  refuse(faults);
  requireSound(next);
  users.note((present) => plannedUsers(present, order), 0);
  tokens.note((present) => plannedTokens(present, users.read(), order), 0);
  settings.note((present) => plannedSettings(present, order), 0);
  options.last.set(order);
  const changes = changesBetween(before, next);
  for (const document of [users, tokens, settings]) await document.save();
  try {
    await options.follow(transaction, changes, before);
  } finally {
    const isWritten = () => [users, tokens, settings].every((document) => document.trouble() === null);
    await settle(options, isWritten);
  }
  return changes;
}

/** Seconds between two checks that the disk has taken everything. */
const settleSeconds = 5;

/** Ends the transaction once it is on the disk: carried out later, it would undo what people change until then. */
async function settle({ directory, timers }: ConfiguratorOptions, isWritten: () => boolean): Promise<void> {
  const isDone = async (): Promise<boolean> =>
    isWritten() &&
    keepAsApplied(directory).then(
      () => true,
      () => false,
    );
  const look = async (): Promise<void> => {
    if (!(await isDone())) timers.after(settleSeconds, () => void look());
  };
  await look();
}

/** One code for all of them: each entry names its fault. */
function refuse(faults: readonly Fault[]): void {
  const [first] = faults;
  if (first === undefined) return;
  const more = faults.length === 1 ? "" : `, and ${faults.length - 1} more`;
  const errors = faults.map(({ pointer, code, detail }) => ({ pointer, code, detail }));
  throw new StewardError(
    "validation_failed",
    `The configuration is refused: ${first.pointer} ${first.detail}${more}. Nothing was changed.`,
    { details: { errors } },
  );
}

import { rm } from "node:fs/promises";
import { join } from "node:path";
import { resealed } from "../../../accounts/second-factor/reseal.ts";
import { createSeal } from "../../../accounts/second-factor/seal.ts";
import { suspended } from "../../../accounts/tokens/api-token.ts";
import type { AccountsState } from "../../../accounts/users/account.ts";
import { administratorTrouble } from "../../../accounts/users/administrators.ts";
import { ifAbsent, StewardError } from "../../../contract/errors.ts";
import type { Manifest } from "../../../device/backup/manifest.ts";
import { unusableBackup } from "../../../device/backup/read-archive.ts";
import type { AdoptedState } from "../../../device/backup/restore.ts";
import type { Host } from "../../../host/host.ts";
import {
  createReceiverSecrets,
  type ReceiverSecretsState,
  receiverSecretsKind,
} from "../../../outbox/receiver-secrets.ts";
import type { Document } from "../../../store/documents/document.ts";
import { createStateTools } from "../../../store/documents/inspection.ts";
import { readRegister } from "../../../store/documents/register.ts";
import { readRegular } from "../../../store/files/regular-file.ts";
import { writeStateIdentity } from "../../../store/files/state-identity.ts";
import { type RoomsConfig, sealKeyPlaces } from "../config.ts";
import { type Documents, documentKinds, openDocuments } from "../documents.ts";
import { forgetMachine } from "./copied-state.ts";

/** The file of a backup's sealing keys, in base64, a line each. */
const sealKeysFile = "seal.keys";

/** Bytes of some hundred keys. */
const mostKeysBytes = 65_536;

/**
 * Makes the unpacked state of a backup this machine's, as a start would open it: sessions end, secrets are sealed with a
 * key of this machine, and unless it is a replacement the API tokens are suspended, and place in waves, certificate,
 * history and record stay with the other device. Throws `backup_unusable` for a state that a start would not take as it
 * is, `not_ready`, `second_factor_unavailable`, `storage_full` and `storage_unwritable`.
 */
export async function adoptRestored(
  config: RoomsConfig,
  host: Host,
  { device, made_at }: Pick<Manifest, "device" | "made_at">,
  asReplacement: boolean,
): Promise<AdoptedState> {
  const { stateDirectory } = config;
  requireIdentity(host);
  const former = await takeKeys(stateDirectory);
  await requireReadable(config);
  const own = await ownKey(config, host);
  const known = new Set((await readRegister(stateDirectory))?.findings.map(({ detail }) => detail));
  const opened = await openDocuments({ ...config, time: host.time });
  const { documents, register, openLater } = opened;
  const secrets = await openLater(receiverSecretsKind);
  try {
    const [found] = register.findings().filter(({ detail }) => !known.has(detail));
    if (found !== undefined) throw unusableBackup(`has damaged data: ${found.detail}`);
    const two_factor = await resealUsers(documents.users, former, own);
    const lost = await resealReceivers(secrets, documents, former, own);
    await documents.sessions.update(() => ({ sessions: [], document_key: null }));
    if (!asReplacement) {
      await documents.tokens.update((state) => ({ ...state, tokens: state.tokens.map(suspended) }));
      await forgetMachine(config, documents);
    }
    const facts = { made_at, as_replacement: asReplacement, former_device_id: device.id };
    await writeStateIdentity(stateDirectory, {
      device_id: host.identity.deviceId,
      untold: null,
      restored: { from: device.name || device.host_name, ...facts },
    });
    const { accounts } = documents.users.read();
    const sealed = accounts.filter((account) => account.two_factor !== null).length;
    const { hasKey } = createSeal([own]);
    const trouble = administratorTrouble(accounts, { hasKey, isSignedIn: () => false });
    return {
      users: accounts.length,
      two_factor,
      tokens: documents.tokens.read().tokens.length,
      warnings: [...lockedOut(sealed - two_factor), ...(trouble ? [trouble.detail] : []), ...lost],
    };
  } finally {
    for (const document of [...Object.values(documents), secrets]) await document.close();
  }
}

/** Without an id that stays, the next start would take the state for a copy of another machine's. */
function requireIdentity({ identity }: Pick<Host, "identity">): void {
  if (identity.isLasting) return;
  throw new StewardError(
    "not_ready",
    "This machine has no machine-id yet (machine-id(5)), so that a restored state could not become its own. Nothing was changed. As root: systemd-machine-id-setup; systemctl restart steward.",
  );
}

/** The keys that the backup's secrets are sealed with; their file has no place in a state. */
async function takeKeys(directory: string): Promise<Uint8Array[]> {
  const path = join(directory, sealKeysFile);
  const content = await readRegular(path, mostKeysBytes).catch(ifAbsent);
  await rm(path, { force: true });
  const lines = content?.toString("latin1").split("\n") ?? [];
  return lines.filter(Boolean).map((line) => Buffer.from(line, "base64"));
}

/** Every document is whole and of a form of this release: a start would take its good copy, and there is none. */
async function requireReadable({ stateDirectory, initialSettings }: RoomsConfig): Promise<void> {
  const found = await createStateTools(stateDirectory, documentKinds(initialSettings)).list();
  for (const { name, condition, is_newer, detail } of found) {
    if (is_newer)
      throw unusableBackup(`is of a newer release of Steward (${name}). Update this device first`);
    if (condition !== "ok") throw unusableBackup(`has no usable document "${name}": ${detail || condition}`);
  }
}

/** The key that root has given this machine, or a new one of the agent's, which the state then has. */
async function ownKey(config: RoomsConfig, { files }: Host): Promise<Uint8Array> {
  const [key] = await files.readSealKeys(sealKeyPlaces(config));
  if (key === undefined) throw unusableBackup("has secrets that this device has no key to seal with");
  return key;
}

/** The number of second factors that can be used here. */
async function resealUsers(
  users: Document<AccountsState>,
  former: readonly Uint8Array[],
  next: Uint8Array,
): Promise<number> {
  let count = 0;
  await users.update((state) =>
    former.reduce((present, key) => {
      const done = resealed(present, { former: key, next });
      count += done.count;
      return done.state;
    }, state),
  );
  return count;
}

/** Sentences about the receivers whose secrets could not be opened. */
async function resealReceivers(
  secrets: Document<ReceiverSecretsState>,
  { settings }: Documents["documents"],
  former: readonly Uint8Array[],
  next: Uint8Array,
): Promise<string[]> {
  const from = createReceiverSecrets(secrets, createSeal(former));
  const to = createReceiverSecrets(secrets, createSeal([next]));
  const { receivers } = settings.read().notify;
  const known = new Set(secrets.read().secrets.map(({ name }) => name));
  const lost: string[] = [];
  for (const receiver of receivers.filter(({ name }) => known.has(name))) {
    const secret = from.of(receiver);
    if (secret === null)
      lost.push(`The secret of the receiver "${receiver.name}" does not open: set it again.`);
    else await to.set(receiver, secret);
  }
  return lost;
}

function lockedOut(count: number): string[] {
  if (count === 0) return [];
  return [
    `${count} second factors do not open with the keys of the backup: their users sign in with recovery codes, or after \`steward user rescue NAME\`.`,
  ];
}

import { objectIn } from "../../contract/text/json-of.ts";
import { updateKinds } from "../../contract/update-kinds.ts";
import type { UpdateKind } from "../../releases/release.ts";
import { tolerant } from "../../store/validation/members.ts";
import { objectOf } from "../../store/validation/object-schema.ts";
import { createValidator, documentValidatorName } from "../../store/validation/schemas.ts";
import { isSafePath, unusableBackup } from "./read-archive.ts";

/** The first file of a backup: where it comes from, and every file that follows. See docs/design/backup.md, rule 2. */
export interface Manifest {
  readonly format: typeof backupFormat;
  /** A reader of this version reads all up to it; a newer one may only add members. */
  readonly version: number;
  /** RFC 3339 in UTC, by the best known time. */
  readonly made_at: string;
  /** The version of Steward that has made it. */
  readonly steward: string;
  readonly product: string;
  readonly device: {
    /** The machine-id, as the API names the device. */
    readonly id: string;
    readonly name: string;
    readonly host_name: string;
    readonly time_zone: string;
  };
  /** The releases that were installed. They are not in the backup: a device fetches them from its publisher. */
  readonly releases: readonly { readonly kind: UpdateKind; readonly version: string }[];
  readonly files: readonly FileOfBackup[];
  /** Absolute paths of files beside the host file that are not in the backup: the agent could not read them. */
  readonly left_out: readonly string[];
}

export interface FileOfBackup {
  readonly path: string;
  readonly bytes: number;
  /** In hexadecimal digits. */
  readonly sha256: string;
  /** The permission bits; only for files below `etc`, which are root's. */
  readonly mode?: number;
}

export const backupFormat = "steward-backup";
export const backupVersion = 1;

export const manifestPath = "backup.json";

/** Bytes of a manifest: some hundred files, each of a line. */
export const mostManifestBytes = 1024 * 1024;

const text = { type: "string", maxLength: 256 } as const;

export const manifestName = "backup";

export const manifestSchema = objectOf({
  format: { type: "string", const: backupFormat },
  version: { type: "integer", minimum: 1, maximum: backupVersion },
  made_at: { type: "string", maxLength: 32, format: "date-time" },
  steward: text,
  product: text,
  device: objectOf({ id: text, name: text, host_name: text, time_zone: text }),
  releases: {
    type: "array",
    maxItems: 64,
    items: objectOf({ kind: { type: "string", enum: updateKinds }, version: text }),
  },
  files: {
    type: "array",
    maxItems: 2_000,
    items: objectOf(
      {
        path: { type: "string", maxLength: 255 },
        bytes: { type: "integer", minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
        sha256: { type: "string", pattern: "^[0-9a-f]{64}$" },
      },
      { mode: { type: "integer", minimum: 0, maximum: 0o777 } },
    ),
  },
  left_out: { type: "array", maxItems: 64, items: { type: "string", maxLength: 4_096 } },
});

const faultsOf = createValidator(documentValidatorName(manifestName), () => tolerant(manifestSchema));

/**
 * The manifest in these bytes. Throws `backup_unusable` for what is no manifest, for one of a newer version, and for paths
 * that are unsafe, are there twice, or are neither in `etc` nor of a file of the state that an agent backs up.
 */
export function readManifest(bytes: Uint8Array): Manifest {
  const value = objectIn(Buffer.from(bytes).toString("utf8"));
  if (value?.format !== backupFormat) throw unusableBackup("is not one of Steward's");
  if (typeof value.version === "number" && value.version > backupVersion)
    throw unusableBackup(
      `was made by a newer release of Steward (${String(value.steward)}), in form ${value.version}; this release reads form ${backupVersion}. Update this device first`,
    );
  const [fault] = faultsOf(value);
  if (fault !== undefined)
    throw unusableBackup(`has a damaged list of its files: ${fault.pointer} ${fault.detail}`);
  // The validator has found each member as the type says.
  const manifest = value as unknown as Manifest;
  const paths = manifest.files.map(({ path }) => path);
  const wrong = paths.find((path, index) => !isOfBackup(path) || paths.indexOf(path) !== index);
  if (wrong !== undefined) throw unusableBackup(`lists ${JSON.stringify(wrong)}, which no backup has`);
  return manifest;
}

/**
 * A state has more names than a backup may bring: the lock, the key of this machine, orders to change, delete or replace
 * it that the next start carries out. A document that only a newer release knows has the name of one.
 */
const ofBackup =
  /^(etc\/.+|state\/([a-z][a-z0-9-]*\.json|\.(identity|register)\.json|seal\.keys|history\.bin|(events|tls)\/.+))$/;

function isOfBackup(path: string): boolean {
  return ofBackup.test(path) && isSafePath(path);
}

/** The end of the name of a file of root's that a restore has replaced. */
export const copyEnding = ".before-restore";

/** The path in the directory of the host file; null: it is no file of root's, or the copy of a former one, which stays where it is. */
export function hostFilePath(path: string): string | null {
  return path.startsWith("etc/") && !path.endsWith(copyEnding) ? path.slice("etc/".length) : null;
}

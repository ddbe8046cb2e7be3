import { partialObject, strictObject, timestamp } from "../shapes.ts";

const name = { type: "string", maxLength: 1_024 } as const;
const figure = { type: "integer", minimum: 0 } as const;
const names = { type: "array", items: { type: "string" } } as const;

/** Bytes of an encrypted backup: as much as its reader takes of its archive, and age's own part. */
export const mostBackupBytes = 513 * 1024 * 1024;

export const receivedBackup = strictObject({ bytes: figure });

export const restoreRequest = partialObject({
  passphrase: name,
  identity: { type: "string", maxLength: 16_384, description: "private keys of age, a line each" },
  as_replacement: {
    type: "boolean",
    description: "this device takes the place of the other one, which must not come back",
  },
  check: { type: "boolean", description: "true: only the plan, and nothing is changed" },
  with_host_files: {
    type: "boolean",
    description: "true: only the plan, unless the files of /etc/steward are those of the backup",
  },
});

/** A file of root's, by its path in the directory of the host file. */
const hostFile = strictObject({ path: name, sha256: name, differs: { type: "boolean" } });

export const restorePlan = strictObject({
  made_at: timestamp,
  steward: { type: "string", description: "the version that has made it" },
  device: strictObject({ id: name, name, host_name: name, time_zone: name }),
  as_replacement: { type: "boolean" },
  users: figure,
  two_factor: { ...figure, description: "users with a second factor that can be used here" },
  tokens: { ...figure, description: "API tokens; suspended, unless it is a replacement" },
  lost_users: { ...figure, description: "users of this device, who go" },
  host_files: { type: "array", items: hostFile },
  releases: { ...names, description: "that were installed, and that this device fetches" },
  left_out: { ...names, description: "files of the other device that are in no backup" },
  warnings: names,
  done: { type: "boolean", description: "true: decided; the agent starts again" },
});

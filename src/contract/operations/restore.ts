import * as schemas from "../backup/restore.ts";
import type { Operation } from "./operation.ts";

const ofSetupToken = ["setup_already_done", "setup_token_invalid", "too_many_attempts"] as const;

export const restoreOperations = {
  receiveBackup: {
    method: "PUT",
    path: "/api/setup/restore",
    summary: "Take the file of a backup, which is not opened yet",
    description: "For `steward restore`, and for the first run with the setup token in `X-Setup-Token`.",
    access: "open",
    beforeSetup: true,
    inRescue: true,
    ofConsole: true,
    upload: { maximumBytes: schemas.mostBackupBytes },
    response: { status: 200, schema: schemas.receivedBackup },
    errors: [...ofSetupToken, "rate_limited", "storage_full", "storage_unwritable"],
  },
  restoreBackup: {
    method: "POST",
    path: "/api/setup/restore",
    summary: "Say what restoring that backup changes, or restore it",
    description: "For `steward restore`, and for the first run with the setup token in `X-Setup-Token`.",
    access: "open",
    beforeSetup: true,
    inRescue: true,
    ofConsole: true,
    body: schemas.restoreRequest,
    response: { status: 200, schema: schemas.restorePlan },
    errors: [
      ...ofSetupToken,
      "not_found",
      "backup_key_wrong",
      "backup_unusable",
      "update_busy",
      "not_ready",
      "storage_full",
      "storage_unwritable",
    ],
  },
} as const satisfies Record<string, Operation>;

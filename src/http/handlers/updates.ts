import { durationSeconds } from "../../contract/durations.ts";
import { StewardError } from "../../contract/errors.ts";
import type { updateOperations } from "../../contract/operations/updates.ts";
import { updateSchedule } from "../../contract/schemas/updates.ts";
import type { Updates as UpdatesStatus } from "../../contract/types.ts";
import { pageOf } from "../../store/documents/pages.ts";
import { withoutSecrets } from "../../store/validation/secrets.ts";
import type { Updates } from "../../updates/updater.ts";
import { type Actor, eventActorOf, type Handlers, type HandlersOf, writingRole } from "../call.ts";

export function createUpdateHandlers(updates: Updates): HandlersOf<typeof updateOperations> {
  return {
    getUpdates: ({ actor }) => viewOf(updates.status(), actor),
    checkForUpdates: async ({ actor, body, note }) => {
      const { repository } = body;
      requireOnTheSpot(actor, repository, "check");
      const status = await updates.check({ repository });
      note({ details: { repository: repository ?? null } });
      return viewOf(status, actor);
    },
    checkUploadedRepository: uploadHandler(updates),
    listUpdateHistory: ({ query }) =>
      pageOf(updates.history(), {
        list: "update history",
        keyOf: ({ sequence }) => [sequence],
        isDescending: true,
        limit: query?.limit ?? 200,
        cursor: query?.cursor,
      }),
    applyUpdates: async ({ actor, body: { kind, repository }, note }) => {
      requireOnTheSpot(actor, repository, "apply");
      note({ details: { kind, repository: repository ?? null } });
      return updates.apply({ kind, repository });
    },
    rollBackUpdate: async ({ body: { kind }, note }) => {
      note({ details: { kind } });
      return updates.rollBack(kind);
    },
    postponeUpdate: async ({ body: { kind, for: duration = "1d" }, note }) => {
      const seconds = postponementOf(duration);
      note({ details: { kind, for: duration } });
      return updates.postpone(kind, seconds);
    },
    dismissFailedUpdate: async ({ actor, body, note }) => {
      const newest = (await updates.dismiss(body.release_id)).at(-1);
      if (newest === undefined) note({ isUnchanged: true });
      else {
        const { id: release_id, kind, name, version } = newest;
        note({ details: { release_id, kind, name, version } });
      }
      return viewOf(updates.status(), actor);
    },
    confirmUpdateTrust: async ({ actor, body: { fingerprint }, note }) => {
      const { name } = eventActorOf(actor);
      const status = await updates.confirmTrust(fingerprint, name ?? "root");
      note({ details: { fingerprint } });
      return viewOf(status, actor);
    },
  };
}

function uploadHandler(updates: Updates): Handlers["checkUploadedRepository"] {
  return async ({ actor, body, note }) => {
    const status = await updates.checkUpload(body);
    note({ details: { repository: null, bytes: body.lengthBytes } });
    return viewOf(status, actor);
  };
}

/** Throws `forbidden` if a request from elsewhere names a directory of this device. */
function requireOnTheSpot(actor: Actor, repository: string | undefined, verb: "check" | "apply"): void {
  if (repository === undefined || actor.kind === "local-root") return;
  throw new StewardError(
    "forbidden",
    `\`repository\` names a directory of the device, so only root on the device may name it: \`steward update ${verb} --repo DIR\`.`,
  );
}

/** Seconds: long enough to be useful, and not forever: for that, automatic updates can be turned off. */
const [shortestSeconds, longestSeconds] = [5 * 60, 30 * 86_400];

/** Seconds for which an update is to be postponed; 0: no longer. Throws `validation_failed`. */
function postponementOf(duration: string): number {
  const seconds = durationSeconds(duration);
  if (seconds === 0 || (seconds >= shortestSeconds && seconds <= longestSeconds)) return seconds;
  const detail = "must be 5m to 30d, or 0s to end a postponement";
  throw new StewardError("validation_failed", `Member /for ${detail}. Nothing was postponed.`, {
    details: { errors: [{ pointer: "/for", code: "out_of_range", detail }] },
  });
}

/** Hides the secret part of the update server's address as in the settings. */
export function viewOf(status: UpdatesStatus, actor: Actor): UpdatesStatus {
  if (writingRole(actor) === "admin") return status;
  const { schedule } = status;
  return { ...status, schedule: withoutSecrets(updateSchedule, schedule) };
}

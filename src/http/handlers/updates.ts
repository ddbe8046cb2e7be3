import { hidden } from "../../contract/settings-forms.ts";
import type { Updates as UpdatesStatus } from "../../contract/types.ts";
import { StewardError } from "../../errors.ts";
import type { Updates } from "../../updates/updates.ts";
import { type Actor, eventActorOf, type Handlers, roleOf } from "../call.ts";

type UpdateHandlers = Pick<Handlers, "getUpdates" | "checkForUpdates" | "confirmUpdateTrust">;

/** What there is to update, looking for more, and whose signatures count. */
export function createUpdateHandlers(updates: Updates): UpdateHandlers {
  return {
    getUpdates: ({ actor }) => viewOf(updates.status(), actor),
    checkForUpdates: async ({ actor, body, note }) => {
      const { repository } = body;
      if (repository !== undefined && actor.kind !== "local-root") {
        throw new StewardError(
          "forbidden",
          "`repository` names a directory of the device, so it is for whoever stands there: `steward update check --repo DIR`.",
        );
      }
      const status = await updates.check({ repository });
      note({ details: { repository: repository ?? null } });
      return viewOf(status, actor);
    },
    confirmUpdateTrust: async ({ actor, body: { fingerprint }, note }) => {
      const { kind, name } = eventActorOf(actor);
      const status = await updates.confirmTrust(fingerprint, name ?? kind);
      note({ details: { fingerprint } });
      return status;
    },
  };
}

/** Where a device gets its updates from is hidden as in the settings, also where a failure names it. */
function viewOf(status: UpdatesStatus, actor: Actor): UpdatesStatus {
  const { schedule, trust } = status;
  if (roleOf(actor) !== "readonly" || schedule.server === "") return status;
  const cover = <T extends string | null>(text: T) => coverServer(text, schedule.server) as T;
  const { last_check } = schedule;
  return {
    ...status,
    message: cover(status.message),
    trust: { ...trust, detail: cover(trust.detail) },
    schedule: {
      ...schedule,
      server: hidden,
      last_check: last_check && { ...last_check, detail: cover(last_check.detail) },
    },
  };
}

/** The address in full and in parts, wherever it stands in `text`; the longest first, for the others are in it. */
function coverServer(text: string | null, server: string): string | null {
  if (text === null) return null;
  const url = URL.canParse(server) ? new URL(server) : undefined;
  const parts = url?.protocol === "file:" ? [url.pathname] : [url?.origin, url?.host, url?.hostname];
  const names = [server, url?.href, ...parts].filter(
    (name): name is string => name !== undefined && name !== "",
  );
  return names.reduce((covered, name) => covered.replaceAll(name, hidden), text);
}

import { StewardError } from "../../../contract/errors.ts";
import type { Product, Role } from "../../../contract/types.ts";
import type { Host } from "../../../host/host.ts";
import { readPageSecret } from "../../../host/linux/host-file/secret-file.ts";
import { every } from "../../../host/linux/timers.ts";
import { createProductHandlers } from "../../../http/handlers/product.ts";
import { createIntrospectHandler } from "../../../http/introspect.ts";
import { createEndedSessions } from "../../../product/ended-sessions.ts";
import { createIntrospection } from "../../../product/introspection.ts";
import { createVisits, type ProductPage } from "../../../product/visits.ts";
import type { SettingsStore } from "../../../system/settings/settings.ts";
import type { Updates } from "../../../updates/updater.ts";
import type { RoomsConfig } from "../config.ts";
import type { State } from "../state.ts";
import type { SignInRooms } from "../wire-accounts.ts";

export interface ProductParts {
  readonly config: RoomsConfig;
  readonly host: Host;
  readonly auth: SignInRooms;
  readonly settings: SettingsStore;
  readonly updates: Updates;
  readonly state: Pick<State, "events">;
}

/** Seconds between two judgements of open pages without a change: time ends sessions too. */
const judgeSeconds = 30;

/** The pages that the host file names, and the texts that only Steward and they know. */
export function openPages({ config, host, auth, settings, state }: ProductParts) {
  const { pages, own, asAgent } = config.product;
  const gates = new Map<string, Promise<string>>();
  const visits = createVisits({
    ...auth,
    pages,
    security: () => settings.read().security,
    uptime: host.time.uptime,
    visited: (visit) => ended.visited(visit),
  });
  const ended = createEndedSessions({
    visits: () => auth.sessions.visits(),
    isAllowed: visits.isAllowed,
    begin: (judge) => {
      // A refusal ends no session, and strangers can cause many.
      const stopHearing = state.events.subscribe(({ log }) => log === "changes" && judge());
      const stopWaiting = every(judgeSeconds, judge, host.time.timers);
      return () => {
        stopHearing();
        stopWaiting();
      };
    },
  });
  const introspection = createIntrospection({ pages, visits, bearer: auth.bearer });
  const gateOf = ({ secretFile }: ProductPage): Promise<string | null> => {
    if (secretFile === null) return Promise.resolve(null);
    const known = gates.get(secretFile);
    if (known !== undefined) return known;
    const read = readPageSecret(secretFile, { own, asAgent, refuse });
    gates.set(secretFile, read);
    // A file that is put right is read again.
    read.catch(() => gates.delete(secretFile));
    return read;
  };
  return {
    handlers: createProductHandlers({ visits, gateOf, deviceId: host.identity.deviceId }),
    follow: ended.follow,
    introspect: createIntrospectHandler(introspection, config.log),
    pagesFor: (reader: Role): Product["pages"] =>
      visits
        .pagesFor(reader)
        .map(({ name, title, origin, role }) => ({ name, title, url: `${origin}/`, role })),
  };
}

function refuse(path: string, what: string): StewardError {
  const text = `The page's secret cannot be used: ${path} ${what}. Without it the page cannot know Steward from others, so no one is let in. Correct it: root:steward 0640.`;
  return new StewardError("internal_error", text);
}

import { join } from "node:path";
import type Koa from "koa";
import { messageOf, StewardError } from "../../../contract/errors.ts";
import type { Host } from "../../../host/host.ts";
import {
  type MakerPicture,
  type Picture,
  readPicture,
} from "../../../host/linux/host-file/maker-pictures.ts";
import { createClientOf, createSchemeOf } from "../../../http/client-address.ts";
import { createHostCheck, namesOfHost } from "../../../http/hosts.ts";
import { createRefreshCookie, refreshCookieName } from "../../../http/refresh-cookie.ts";
import { createServer, type ServerOptions } from "../../../http/server.ts";
import { createColouredFiles } from "../../../http/wire/coloured-files.ts";
import { createMakerPictures } from "../../../http/wire/maker-pictures.ts";
import { createRequestLines } from "../../../http/wire/request-lines.ts";
import { createStaticFiles } from "../../../http/wire/static-files.ts";
import { createWebManifest } from "../../../http/wire/web-manifest.ts";
import { once } from "../../once.ts";
import type { AgentConfig } from "../config.ts";
import type { Https } from "./https.ts";
import type { LocalListeners } from "./local-listeners.ts";

/** Milliseconds for requests in flight after a stop; systemd waits longer before it kills. */
const stopMilliseconds = 4_000;

type Application = Pick<
  ServerOptions,
  "dispatch" | "authenticate" | "events" | "lasting" | "admit" | "describeClock" | "answered"
> & {
  deviceId: string;
  deviceName: () => string;
  /** console.accent. */
  accent: () => string;
  /** The present as far as it is known, and a time no later than it. */
  expiryNow: () => Date;
  floor: () => Date;
};

export interface ListenContext {
  readonly host: Host;
  readonly https: Https;
  readonly local: LocalListeners;
}

export type LiveDecisions = Pick<AgentConfig, "hostNames" | "trustedProxies" | "https">;

export async function listen(
  config: AgentConfig,
  { host, https, local }: ListenContext,
  application: Application,
) {
  const believe = (decisions: LiveDecisions) => ({
    isOurHost: createHostCheck(() => namesOf(host, decisions)),
    clientOf: createClientOf(decisions.trustedProxies, host.network.userOfConnection),
    schemeOf: createSchemeOf(decisions.trustedProxies),
  });
  let present = believe(config);
  const isOurHost = (name: string | undefined) => present.isOurHost(name);
  const requestLines = createRequestLines({ ...host.time, log: config.log });
  const refreshCookie = (ctx: Koa.Context) =>
    createRefreshCookie(ctx, refreshCookieName(application.deviceId), present.schemeOf(ctx.req));
  const app = createServer({
    ...application,
    isOurHost,
    serveFile: createFiles(config, application, refreshCookie),
    log: config.log,
    requestLines,
    clientOf: (request) => present.clientOf(request),
    refreshCookie,
  });
  await local.open(app.callback());
  try {
    await https.open({
      handle: app.callback(),
      isOurHost,
      now: application.expiryNow,
      floor: application.floor,
      record: (event) => void application.events.record(event),
    });
    return {
      addresses: local.addresses,
      /** From now on these names are the device's own, and these proxies are trusted. Connections stay. */
      reload: (decisions: LiveDecisions): Promise<void> => {
        present = believe(decisions);
        return https.reload({ ...decisions.https, names: () => namesOf(host, decisions) });
      },
      /** Resolves after requests in flight have finished and the counts of requests are logged. */
      stop: async (): Promise<void> => {
        await Promise.all([local, https].map((listeners) => listeners.stop(stopMilliseconds)));
        requestLines.close();
      },
    };
  } catch (error) {
    await local.stop(0);
    throw error;
  }
}

function createFiles(
  config: AgentConfig,
  application: Application,
  refreshCookie: (ctx: Koa.Context) => ReturnType<typeof createRefreshCookie>,
) {
  const directory = join(config.assetsDirectory, "console");
  const serveFile = createStaticFiles(directory, (ctx) => refreshCookie(ctx).tellDocument());
  const serveColoured = createColouredFiles(directory, application.accent);
  const serveManifest = createWebManifest(application);
  const servePicture = createMakerPictures({
    "/maker-mark": createPictureReader(config, "mark"),
    "/maker-picture": createPictureReader(config, "picture"),
  });
  return async (ctx: Koa.Context) =>
    serveManifest(ctx) || (await serveColoured(ctx)) || (await servePicture(ctx)) || serveFile(ctx);
}

/** The names of the device: its own, and those of the host file. */
export function namesOf(
  { identity, network }: Host,
  { hostNames }: Pick<AgentConfig, "hostNames">,
): string[] {
  return [...namesOfHost(identity.hostname, network.lanNames.present()), ...hostNames];
}

/**
 * Reads a picture of the maker when it is first asked for, once: everyone who reaches the device may ask. null: the host
 * file names none, or the file is no longer as it was when the host file was checked, which the log says.
 */
function createPictureReader(
  { maker, log }: Pick<AgentConfig, "maker" | "log">,
  which: MakerPicture,
): () => Promise<Picture | null> {
  return once(async () => {
    const path = maker?.[which] ?? null;
    if (maker === null || path === null) return null;
    try {
      return await readPicture(which, path, {
        own: maker.own,
        refuse: (path, why) => new StewardError("validation_failed", `${path} ${why}`),
      });
    } catch (error) {
      const said = `the maker's ${which} is not shown: correct the file, then restart the agent`;
      log("warning", said, { detail: messageOf(error) });
      return null;
    }
  });
}

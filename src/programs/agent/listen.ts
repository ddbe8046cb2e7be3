import { join } from "node:path";
import type { Host } from "../../host/host.ts";
import { createClientOf, createSchemeOf } from "../../http/client-address.ts";
import { namesOfHost } from "../../http/hosts.ts";
import { createRefreshCookie, refreshCookieName } from "../../http/refresh-cookie.ts";
import { createServer, type ServerOptions } from "../../http/server.ts";
import { listenTcp, listenUnix } from "../../http/wire/listeners.ts";
import { createRequestLines } from "../../http/wire/request-lines.ts";
import { createStaticFiles } from "../../http/wire/static-files.ts";
import type { AgentConfig } from "./config.ts";

/** How long requests in flight may take after a stop; systemd waits longer before it kills. */
const stopMilliseconds = 4_000;

type Application = Pick<
  ServerOptions,
  "dispatch" | "authenticate" | "events" | "streams" | "admit" | "describeClock"
> & {
  deviceId: string;
};

/** What the agent listens on. */
export interface Listening {
  readonly addresses: readonly string[];
  /** Requests in flight finish, and the counts of requests are logged. */
  stop(): Promise<void>;
}

/** The socket first: commands on the device work even where another program holds the port. */
export async function listen(config: AgentConfig, host: Host, application: Application): Promise<Listening> {
  const now = () => new Date();
  const schemeOf = createSchemeOf(config.trustedProxies);
  const name = refreshCookieName(application.deviceId);
  const requestLines = createRequestLines(config.log);
  const app = createServer({
    ...application,
    hostNames: [...namesOfHost(host.identity.hostname), ...config.hostNames],
    serveFile: createStaticFiles(join(config.assetsDirectory, "console")),
    log: config.log,
    requestLines,
    clientOf: createClientOf(config.trustedProxies, host.network.userOfConnection),
    refreshCookie: (ctx) => createRefreshCookie(ctx, { name, scheme: schemeOf(ctx.req) }),
  });
  const local = await listenUnix(app.callback(), join(config.runDirectory, "steward.sock"), now);
  try {
    const listeners = [
      local,
      await listenTcp(app.callback(), config.listen.host, config.listen.port, now),
    ] as const;
    return {
      addresses: listeners.map(({ address }) => address),
      stop: async () => {
        await Promise.all(listeners.map((listener) => listener.stop(stopMilliseconds)));
        requestLines.close();
      },
    };
  } catch (error) {
    await local.stop(0);
    throw error;
  }
}

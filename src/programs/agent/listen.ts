import { join } from "node:path";
import type { Host } from "../../host/host.ts";
import { createClientOf, createSchemeOf } from "../../http/client-address.ts";
import { createHostCheck } from "../../http/hosts.ts";
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
  /** From now on these names are the device's own, and these proxies are believed. Connections stay. */
  reload(decisions: Pick<AgentConfig, "hostNames" | "trustedProxies">): void;
  /** Requests in flight finish, and the counts of requests are logged. */
  stop(): Promise<void>;
}

/** The socket first: commands on the device work even where another program holds the port. */
export async function listen(config: AgentConfig, host: Host, application: Application): Promise<Listening> {
  const now = () => new Date();
  const believe = (decisions: Pick<AgentConfig, "hostNames" | "trustedProxies">) => ({
    isOurHost: createHostCheck({ hostname: () => host.identity.hostname, ...decisions }),
    clientOf: createClientOf(decisions.trustedProxies, host.network.userOfConnection),
    schemeOf: createSchemeOf(decisions.trustedProxies),
  });
  let present = believe(config);
  const name = refreshCookieName(application.deviceId);
  const requestLines = createRequestLines(config.log);
  const app = createServer({
    ...application,
    isOurHost: (name) => present.isOurHost(name),
    serveFile: createStaticFiles(join(config.assetsDirectory, "console")),
    log: config.log,
    requestLines,
    clientOf: (request) => present.clientOf(request),
    refreshCookie: (ctx) => createRefreshCookie(ctx, { name, scheme: present.schemeOf(ctx.req) }),
  });
  const local = await listenUnix(app.callback(), join(config.runDirectory, "steward.sock"), now);
  try {
    const listeners = [
      local,
      await listenTcp(app.callback(), config.listen.host, config.listen.port, now),
    ] as const;
    return {
      addresses: listeners.map(({ address }) => address),
      reload: (decisions) => {
        present = believe(decisions);
      },
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

import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { atEnd, type Ending } from "../basics/ending.ts";
import { serveFile } from "./behaviours.ts";

/** One request as a behaviour sees it. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Decoded, without a leading slash and without a query. */
  readonly path: string;
  /** An honest server would send this now. */
  readonly file: Buffer | undefined;
  /** This path was asked for so often, this time included. */
  readonly count: number;
}

export type Behaviour = (exchange: Exchange) => void | Promise<void>;

export type HostileServer = Awaited<ReturnType<typeof startHostileServer>>;

/** A web server on loopback that serves a repository honestly, except for the paths with a behaviour of their own. */
export async function startHostileServer(test: Ending, files: ReadonlyMap<string, Buffer> = new Map()) {
  const sockets = new Set<Socket>();
  const behaviours: { path: string | RegExp; behaviour: Behaviour }[] = [];
  const requests: (Pick<Exchange, "path"> & Pick<IncomingMessage, "method" | "headers"> & { url: string })[] =
    [];
  const server = createServer((request, response) => {
    const { url = "/", method, headers } = request;
    const path = decodeURIComponent(url.replace(/^\//, "").replace(/[?#].*$/s, ""));
    requests.push({ method, path, url, headers });
    const count = requests.filter((one) => one.path === path).length;
    const fits = (one: { path: string | RegExp }) =>
      typeof one.path === "string" ? one.path === path : one.path.test(path);
    const behaviour = behaviours.findLast(fits)?.behaviour ?? serveFile;
    response.on("error", () => undefined);
    const exchange = {
      ...{ request, response, path, count },
      // It is read when it is sent: a behaviour may change the file first.
      get file(): Buffer | undefined {
        return running.files.get(path);
      },
    };
    void Promise.resolve(behaviour(exchange)).catch((error: unknown) =>
      response.destroy(error instanceof Error ? error : new Error(String(error))),
    );
  });
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined);
    socket.once("close", () => sockets.delete(socket));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const running = {
    origin: `http://127.0.0.1:${port}`,
    port,
    /** It serves these. A change of them changes the next answer. */
    files,
    /** For one path, or for those that match; the latest that fits counts. */
    behave: (path: string | RegExp, behaviour: Behaviour): void => void behaviours.push({ path, behaviour }),
    /** Honest again, counts at zero. */
    repent(): void {
      behaviours.length = 0;
      requests.length = 0;
    },
    requests,
    openConnections: () => sockets.size,
    async close(): Promise<void> {
      server.closeAllConnections();
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  atEnd(test, () => running.close());
  return running;
}

import { afterEach } from "node:test";
import {
  type Answerer,
  startRawServer,
  startWebServer,
  type WebServer,
} from "../../../lab/host/web-server.ts";

const servers: WebServer[] = [];

/** Registers the end of a file's servers after each of its tests. */
export function endServersAfterEach(): void {
  afterEach(async () => {
    for (const server of servers.splice(0)) await server.stop();
  });
}

/** A server that ends with the test. */
export async function ending(starting: Promise<WebServer>): Promise<WebServer> {
  const server = await starting;
  servers.push(server);
  return server;
}

export const serving = (answer: Answerer): Promise<WebServer> => ending(startWebServer(answer));

export const servingRaw = (answer: Parameters<typeof startRawServer>[0]): Promise<WebServer> =>
  ending(startRawServer(answer));

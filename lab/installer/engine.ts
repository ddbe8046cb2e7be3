import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";
import { atEnd, type Ending } from "../basics/ending.ts";
import type { Behaviour } from "./releases.ts";

/**
 * The pump's engine, which goes by the rules that `load.sh` has named in RUN/loaded: `/RUN` answers as those rules make it.
 * One for all devices of a test: it runs on, whatever becomes of the agent. Gives back its origin.
 */
export async function startEngine(ending: Ending): Promise<string> {
  const server = createServer(async (request, response) => {
    const rules = await loadedRules(request.url ?? "");
    if (rules?.does === "hangs") return;
    const isWell = rules !== null && rules.does !== "is unwell";
    response.writeHead(isWell ? 200 : 503, { "content-type": "application/json", connection: "close" });
    response.end(JSON.stringify({ version: rules?.version ?? null }));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  atEnd(ending, async () => {
    server.close();
    server.closeAllConnections();
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the engine has no port");
  return `http://127.0.0.1:${address.port}`;
}

/** null: it has been given none, or none that is there. */
async function loadedRules(run: string): Promise<{ version: string; does: Behaviour } | null> {
  try {
    const release = await readFile(join(run, "loaded"), "utf8");
    return JSON.parse(await readFile(join(release, "release.json"), "utf8")) as {
      version: string;
      does: Behaviour;
    };
  } catch {
    return null;
  }
}

import { createReadStream, statSync } from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import { join, normalize } from "node:path";

/** A directory over HTTP, as any web server has it: GET, ETag, If-None-Match. */
export interface FileServer {
  /** Addresses that were asked for since the last call, with their answers. */
  requests(): readonly string[];
  close(): void;
}

/** Serves a directory on every address of the scenario's own network. */
export async function serveFiles(directory: string, port: number): Promise<FileServer> {
  let asked: string[] = [];
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://localhost");
    response.once("close", () => asked.push(`${response.statusCode} ${pathname}`));
    // A normalised absolute path contains no `..`.
    send(
      join(directory, normalize(decodeURIComponent(pathname))),
      request.headers["if-none-match"],
      response,
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, () => resolve());
  });
  return {
    requests: () => {
      const present = asked;
      asked = [];
      return present;
    },
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

function send(path: string, known: string | undefined, response: ServerResponse): void {
  const file = statSync(path, { throwIfNoEntry: false });
  if (!file?.isFile()) {
    response.writeHead(404).end();
    return;
  }
  const tag = `"${file.ino.toString(16)}-${file.size.toString(16)}-${Math.round(file.mtimeMs).toString(16)}"`;
  if (known === tag) {
    response.writeHead(304, { ETag: tag }).end();
    return;
  }
  response.writeHead(200, {
    ETag: tag,
    "Content-Length": file.size,
    "Content-Type": "application/octet-stream",
  });
  createReadStream(path).pipe(response);
}

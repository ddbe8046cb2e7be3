import { spawn } from "node:child_process";
import { request as httpRequest } from "node:http";
import { join } from "node:path";

/** Connections and seconds of one load. */
const connections = 20;
const seconds = 1;

/** Requests per second that a server answers with 200, measured from the second processor by the Node that runs this. */
export async function requestsPerSecond(port: number, token: string): Promise<number> {
  const child = spawn(
    "taskset",
    [
      "--cpu-list",
      "1",
      process.execPath,
      join(import.meta.dirname, "../../node_modules/autocannon/autocannon.js"),
    ]
      .concat(["--json", "--connections", String(connections), "--duration", String(seconds)])
      .concat(["--headers", `authorization=Bearer ${token}`, `http://127.0.0.1:${port}/api/system`]),
    { stdio: ["ignore", "pipe", "ignore"] },
  );
  const text = (await child.stdout.setEncoding("utf8").toArray()).join("");
  const result = JSON.parse(text) as { requests: { average: number }; non2xx: number; errors: number };
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`the load met ${result.non2xx} refusals, ${result.errors} errors`);
  return result.requests.average;
}

/** One request with a JSON answer. */
export function callJson(
  where: { port: number } | { socketPath: string },
  method: string,
  path: string,
  options: { body?: object; token?: string; headers?: Readonly<Record<string, string>> } = {},
): Promise<Record<string, unknown>> {
  return new Promise((resolve, reject) => {
    const request = httpRequest({
      ...where,
      method,
      path,
      agent: false,
      headers: {
        "content-type": "application/json",
        ...options.headers,
        ...(options.token !== undefined && { authorization: `Bearer ${options.token}` }),
      },
    });
    request.once("error", reject);
    request.once("response", async (response) => {
      const text = (await response.setEncoding("utf8").toArray()).join("");
      resolve(JSON.parse(text) as Record<string, unknown>);
    });
    request.end(options.body && JSON.stringify(options.body));
  });
}

import { execFile } from "node:child_process";
import { request as httpRequest } from "node:http";
import { join } from "node:path";
import { promisify } from "node:util";

const autocannon = join(import.meta.dirname, "../../node_modules/autocannon/autocannon.js");

/** Requests per second that a server answers with 200, measured from the second processor by the Node that runs this. */
export async function requestsPerSecond(
  url: string,
  headers: Readonly<Record<string, string>>,
): Promise<number> {
  const words = ["--json", "--connections", "20", "--duration", "1"];
  const sent = Object.entries(headers).flatMap(([name, value]) => ["--headers", `${name}=${value}`]);
  const command = ["--cpu-list", "1", process.execPath, autocannon, ...words, ...sent, url];
  const { stdout } = await promisify(execFile)("taskset", command);
  const result = JSON.parse(stdout) as { requests: { average: number }; non2xx: number; errors: number };
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`the load met ${result.non2xx} refusals, ${result.errors} errors`);
  return result.requests.average;
}

/** One request with a JSON answer. */
export function callJson(
  where: { port: number } | { socketPath: string },
  method: string,
  path: string,
  {
    body,
    token,
    headers,
  }: { body?: object; token?: string; headers?: Readonly<Record<string, string>> } = {},
): Promise<Record<string, unknown>> {
  const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const sent = { "content-type": "application/json", ...headers, ...authorization };
  return new Promise((resolve, reject) => {
    const request = httpRequest({ ...where, method, path, agent: false, headers: sent });
    request.once("error", reject);
    request.once("response", async (response) => {
      const text = (await response.setEncoding("utf8").toArray()).join("");
      resolve(JSON.parse(text) as Record<string, unknown>);
    });
    request.end(body && JSON.stringify(body));
  });
}

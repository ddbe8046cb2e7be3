import { createServer, type IncomingHttpHeaders, type IncomingMessage, request } from "node:http";
import type { AddressInfo } from "node:net";
import { atEnd, type Ending } from "../basics/ending.ts";

const entrance = "/.steward/enter";

const passedOn = ["cookie", "origin", "accept", "sec-fetch-site", "sec-fetch-mode", "sec-fetch-dest"];

/** The page "pump" of a product on loopback, which asks the agent itself who comes (docs/product.md, "Without a web server"). */
export async function startGuardedPage(ending: Ending, agentPort: number): Promise<{ url: string }> {
  const ask = (path: string, headers: IncomingHttpHeaders): Promise<IncomingMessage> =>
    new Promise((resolve, reject) => {
      const whole = { host: "127.0.0.1", port: agentPort, path: `/api/product/pages/pump/${path}`, headers };
      request(whole, (answer) => resolve(answer.resume()))
        .once("error", reject)
        .end();
    });
  const server = createServer(async ({ method, url = "/", headers }, response) => {
    const own = Object.fromEntries(
      passedOn.map((name) => [name, headers[name] ?? ""]).filter(([, one]) => one),
    );
    if (url.startsWith(`${entrance}?`)) {
      const { statusCode, headers } = await ask(`finish${url.slice(entrance.length)}`, own);
      return void response.writeHead(statusCode ?? 503, headers).end();
    }
    const asked = { ...own, "x-original-method": method, "x-original-uri": url };
    const { statusCode = 503, headers: said } = await ask("check", asked);
    const signIn = said["steward-sign-in"];
    if (signIn !== undefined) return void response.writeHead(302, { location: String(signIn) }).end();
    if (statusCode !== 204) return void response.writeHead(statusCode).end();
    response.setHeader("content-type", "text/html");
    response.end(`<!doctype html><title>Pump</title><h1>Pump of ${said["steward-user"]}</h1>`);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  atEnd(ending, () => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

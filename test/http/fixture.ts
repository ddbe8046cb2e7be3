import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import type { Server as WebServer } from "node:http";
import type { AddressInfo, Server } from "node:net";
import { join } from "node:path";
import type { Ending } from "../../lab/basics/ending.ts";
import { scratchDirectory } from "../../lab/basics/scratch.ts";

/** The port at which a server listens until the end of the test. */
export async function listen(test: Ending, server: Server | WebServer, host = "127.0.0.1"): Promise<number> {
  await new Promise<void>((resolve) => server.listen({ host, port: 0, backlog: 511 }, resolve));
  test.after(async () => {
    server.close();
    if ("closeAllConnections" in server) server.closeAllConnections();
  });
  return (server.address() as AddressInfo).port;
}

/** A certificate that certifies itself, and its key. */
export function ownCertificate(name: string): { cert: string; key: string } {
  const home = scratchDirectory();
  const kind = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-subj"];
  const files = ["-keyout", join(home, "key"), "-out", join(home, "cert")];
  execFileSync("openssl", ["req", "-x509", ...kind, `/CN=${name}`, ...files], { stdio: "ignore" });
  return { cert: readFileSync(join(home, "cert"), "utf8"), key: readFileSync(join(home, "key"), "utf8") };
}

import { copyFileSync, mkdirSync, readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join, normalize } from "node:path";
import type { TestContext } from "node:test";
import { pathToFileURL } from "node:url";
import { Updater } from "tuf-js";
import { atEnd } from "../../lab/basics/ending.ts";
import { scratchDirectory } from "../../lab/basics/scratch.ts";
import { useOpenSsl } from "../../lab/publisher/quick-ed25519.ts";
import { filesInMemory } from "../../lab/publisher/refreshing.ts";
import { openServed } from "../../lab/publisher/served.ts";
import { today } from "../../lab/publisher/site.ts";
import { caps } from "../../src/tuf/caps.ts";
import type { Refreshed } from "../../src/tuf/client.ts";
import { refresh } from "../../src/tuf/refresh.ts";
import { ed25519Only } from "../../src/tuf/signatures.ts";

useOpenSsl();

export type Device = ReturnType<typeof makeDevice>;

/** A device with our own client, which reads the files of a directory, trusts `root`, and keeps what it has read. */
export function makeDevice(root: Uint8Array) {
  const files = filesInMemory({ root });
  return {
    refresh: (publicDirectory: string, start = today): Promise<Refreshed> => {
      const { repository, close } = openServed({ url: pathToFileURL(publicDirectory).href, caps });
      return refresh({ repository, files, caps, verifiers: ed25519Only, start }).finally(close);
    },
  };
}

/** One that trusts the first root of these files. */
export async function deviceOf(publicDirectory: string): Promise<Device> {
  return makeDevice(await readFile(join(publicDirectory, "metadata", "1.root.json")));
}

/** The paths that it finds there, sorted. */
export async function pathsFor(
  device: Device,
  publicDirectory: string,
  { kind = "rules", start = today } = {},
) {
  const found = await (await device.refresh(publicDirectory, start)).list("stable", kind);
  return found.map(({ path }) => path).sort();
}

/** Static files on loopback, as any web server gives them. */
async function serve(test: TestContext, directory: string): Promise<string> {
  const server = createServer(async ({ url = "/" }, response) => {
    const path = normalize(decodeURIComponent(new URL(url, "http://x").pathname));
    const bytes = await readFile(join(directory, path)).catch(() => undefined);
    response.writeHead(bytes ? 200 : 404).end(bytes);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  atEnd(test, () => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** tuf-js over HTTP, from `root` on; gives the payload that it has downloaded and verified. */
export async function downloadWithTufJs(
  test: TestContext,
  publicDirectory: string,
  { root, path }: { root: string; path: string },
): Promise<Uint8Array> {
  const directory = scratchDirectory();
  const [metadataDir, targetDir] = [join(directory, "metadata"), join(directory, "targets")];
  for (const made of [metadataDir, targetDir]) mkdirSync(made);
  copyFileSync(root, join(metadataDir, "root.json"));
  const address = await serve(test, publicDirectory);
  const addresses = { metadataBaseUrl: `${address}/metadata`, targetBaseUrl: `${address}/targets` };
  const updater = new Updater({ metadataDir, targetDir, ...addresses });
  await updater.refresh();
  const found = await updater.getTargetInfo(path);
  if (found === undefined) throw new Error(`tuf-js finds no ${path}`);
  return readFileSync(await updater.downloadTarget(found));
}

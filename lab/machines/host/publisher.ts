import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  createReadStream,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
} from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import { basename, join, normalize } from "node:path";
import { ltsRuntime } from "../image.ts";

const root = join(import.meta.dirname, "../../..");

/** A repository of updates on the host; the guest reaches it at http://10.0.2.2 under the port. */
export interface Repository {
  readonly port: number;
  /** The product of its releases. */
  readonly product: string;
  /** The validity of a timestamp; a week by default. */
  readonly timestampExpires?: string;
  /** Publishes with the Node of the machine, which `--patch-from` takes; this computer's may be older. */
  readonly hasLtsRuntime?: boolean;
}

/** A release, as its publisher makes it. */
export interface NewRelease {
  readonly kind: "rules" | "binary";
  readonly version: string;
  /** The name of rules; a binary has that of its product. */
  readonly name?: string;
  /** Writes the content of the payload into a directory. */
  readonly tree: (directory: string) => void | Promise<void>;
  /** Paths of the tree that are programs. */
  readonly programs?: readonly string[];
  /** Further arguments of `steward-publisher add`. */
  readonly options?: readonly string[];
}

/** A release as a device identifies it. */
export interface PublishedRelease {
  readonly id: string;
  readonly version: string;
  /** The path of its payload below the address of the repository. */
  readonly path: string;
}

/** Makes releases with `steward-publisher`, and serves the published files. */
export interface Publisher {
  /** Signs and publishes it. */
  publish(release: NewRelease): Promise<PublishedRelease>;
  /** The first root, for `steward update trust install`. */
  rootOfTrust(): string;
  close(): void;
}

/** Opens a publisher with its repository in `directory`. */
export async function openPublisher(
  { port, product, timestampExpires = "7d", hasLtsRuntime = false }: Repository,
  directory: string,
): Promise<Publisher> {
  mkdirSync(directory, { recursive: true });
  const site = join(directory, "site");
  const node = hasLtsRuntime ? ltsRuntime() : process.execPath;
  const publisher = (...args: readonly string[]): void => {
    execFileSync(node, [join(root, "dist-publisher/main.cjs"), ...args, "--yes", "--quiet"], {
      stdio: ["ignore", "ignore", "inherit"],
    });
  };
  publisher("init", site, "--product", product, "--expires", `timestamp=${timestampExpires}`);
  publisher("publish", site);
  const close = await serveFiles(join(site, "public"), port);
  return {
    publish: async (release) => {
      const payload = await pack(release, directory);
      const { kind, version, name, options = [] } = release;
      const named = [
        ...(name === undefined ? [] : ["--name", name]),
        ...(kind === "binary" ? ["--arch", "x64"] : []),
      ];
      publisher("add", site, payload, "--kind", kind, "--release", version, ...named, ...options);
      publisher("publish", site);
      const path = publishedPath(join(site, "public"), payload, `.${name ?? product}-${version}`);
      if (path === undefined) throw new Error(`${kind} ${version} was not published`);
      return { id: basename(path).slice(0, 32), version, path };
    },
    rootOfTrust: () => readFileSync(join(site, "public/metadata/1.root.json"), "utf8"),
    close,
  };
}

/** The path of a payload: its name begins with its SHA-512, of other bytes where `--patch-from` has packed it again. */
function publishedPath(site: string, payload: string, nameAndVersion: string): string | undefined {
  const hash = createHash("sha512").update(readFileSync(payload)).digest("hex");
  const paths = readdirSync(site, { recursive: true, encoding: "utf8" });
  const isOf = (path: string) => path.includes(`${nameAndVersion}-linux-x64.tar.`);
  return paths.find((path) => basename(path).startsWith(hash)) ?? paths.find(isOf);
}

/** The payload of a release; its path. */
async function pack({ kind, version, tree, programs = [] }: NewRelease, directory: string): Promise<string> {
  const folder = mkdtempSync(join(directory, "tree-"));
  await tree(folder);
  for (const path of programs) execFileSync("chmod", ["755", join(folder, path)]);
  execFileSync("chmod", ["-R", "u=rwX,go=rX", folder]);
  const payload = join(directory, `${kind}-${version}.tar.gz`);
  const owner = ["--owner=0", "--group=0", "--sort=name"];
  execFileSync("tar", ["--create", "--gzip", "--file", payload, ...owner, "--directory", folder, "."]);
  rmSync(folder, { recursive: true });
  return payload;
}

/** Serves a directory, as any web server does, on every address of the scenario's own network; returns what ends it. */
async function serveFiles(directory: string, port: number): Promise<() => void> {
  const server = createServer(({ url = "", headers }, response) => {
    const { pathname } = new URL(url, "http://localhost");
    // A normalised absolute path contains no `..`.
    send(join(directory, normalize(decodeURIComponent(pathname))), headers["if-none-match"], response);
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, () => resolve());
  });
  return () => {
    server.closeAllConnections();
    server.close();
  };
}

function send(path: string, known: string | undefined, response: ServerResponse): void {
  const file = statSync(path, { throwIfNoEntry: false });
  if (!file?.isFile()) return void response.writeHead(404).end();
  const ETag = `"${file.ino.toString(16)}-${file.size.toString(16)}-${Math.round(file.mtimeMs).toString(16)}"`;
  if (known === ETag) return void response.writeHead(304, { ETag }).end();
  response.writeHead(200, { ETag, "Content-Length": file.size, "Content-Type": "application/octet-stream" });
  createReadStream(path).pipe(response);
}

import { dirname } from "node:path";
import { requireSocketPath } from "../../contract/errors.ts";
import { usualDirectories } from "../../installer/files/release-directories.ts";
import { CommandError } from "../../terminal/command-error.ts";
import type { GivenOptions } from "../../terminal/commands/command.ts";

export const usualSocketPath = "/run/steward/steward.sock";

/** The addresses and paths of the agent and its files, for this call of the command line. */
export interface Places {
  readonly socketPath: string;
  readonly stateDirectory: string;
  /** The socket's directory, in which the setup token is, too. */
  readonly runDirectory: string;
  /** Root's decisions about this device; the root of trust for updates is in the same directory. */
  readonly hostFile: string;
  /** The releases, with their journal, which every user may read. */
  readonly releasesDirectory: string;
  /** The installer's own records. */
  readonly trustDirectory: string;
  /** If given, the agent is called over the network, and no local file is used. */
  readonly url: URL | undefined;
  /** Secrets may go over plain http beyond this machine. */
  readonly mayBeOverheard: boolean;
  readonly tokenFile: string | undefined;
  readonly authorityFile: string | undefined;
}

/** From the options, then the environment, then the defaults of a packaged installation. */
export function choosePlaces(
  options: GivenOptions,
  environment: Readonly<Record<string, string | undefined>>,
): Places {
  const socketPath = options.text("socket") || environment.STEWARD_SOCKET || usualSocketPath;
  const url = options.text("url");
  if (url === undefined) requireSocketPath(socketPath, "--socket PATH");
  const authorityFile = options.text("cacert");
  if (authorityFile !== undefined && url === undefined) {
    throw new CommandError(2, "--cacert is for --url with https; the socket needs no certificate.");
  }
  const places: Places = {
    socketPath,
    stateDirectory: options.text("state") || environment.STEWARD_STATE || "/var/lib/steward",
    runDirectory: dirname(socketPath),
    hostFile: environment.STEWARD_HOST_FILE || "/etc/steward/steward.json",
    releasesDirectory: environment.STEWARD_RELEASES || usualDirectories.releases,
    trustDirectory: environment.STEWARD_TRUST || usualDirectories.trust,
    url: url === undefined ? undefined : readAgentUrl(url),
    mayBeOverheard: options.has("insecure-http"),
    tokenFile: options.text("token-file"),
    authorityFile,
  };
  if (places.tokenFile !== undefined) requireSecrecy(places, "a token");
  return places;
}

/** For what sends a secret: refuses plain http beyond this machine, unless it is forced. Throws CommandError(2). */
export function requireSecrecy({ url, mayBeOverheard }: Places, secret: string): void {
  if (url?.protocol !== "http:" || mayBeOverheard || isLoopback(url.hostname)) return;
  throw new CommandError(
    2,
    `${url.origin} is plain http: anyone on the way could read ${secret}. Use https (with --cacert for the device's own certificate), or force it with --insecure-http.`,
  );
}

/** RFC 6761 §6.3 and RFC 1122 §3.2.1.3, by name or address. */
function isLoopback(hostname: string): boolean {
  const name = hostname.replace(/\.$/, "");
  return /^(.+\.)?localhost$/.test(name) || /^127(\.\d{1,3}){3}$/.test(name) || name === "[::1]";
}

/** For commands that work on this machine's files: refuses `--url`. Throws CommandError(2). */
export function requireLocal(places: Places, command: string): void {
  if (places.url === undefined) return;
  throw new CommandError(
    2,
    `"steward ${command}" works on this machine's files; run it on the device, without --url.`,
  );
}

function readAgentUrl(text: string): URL {
  const expected = "--url expects an address such as https://device.example:8443";
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    throw new CommandError(2, `${expected}; "${text}" is not one.`);
  }
  if (url.protocol !== "https:" && url.protocol !== "http:") {
    throw new CommandError(2, `${expected}; "${url.protocol}" is neither https nor http.`);
  }
  // Arguments are visible to every user of the machine.
  if (url.username !== "" || url.password !== "") {
    throw new CommandError(
      2,
      "--url takes no user name or password; put a token into a file and name it with --token-file.",
    );
  }
  return url;
}

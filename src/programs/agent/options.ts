import { isIP } from "node:net";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { StewardError } from "../../contract/errors.ts";
import { usualHostFile } from "../host-file/host-file.ts";
import { type AgentConfig, usualSealKeyFile, usualStateDirectory } from "./config.ts";

/** The way in which this process was started, and the way to start the installer. */
interface Started {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly node: string;
  /** Absolute path of installer.js. */
  readonly script: string;
}

/** Reads the arguments of `serve`. Throws `validation_failed`, and the errors of node:util for unknown options. */
export function readServeOptions(argv: string[], started: Started) {
  const { environment } = started;
  const { values } = parseArgs({
    args: argv,
    options: {
      state: { type: "string", default: environment.STATE_DIRECTORY ?? usualStateDirectory },
      run: { type: "string", default: environment.RUNTIME_DIRECTORY?.split(":")[0] ?? "/run/steward" },
      listen: { type: "string", default: "127.0.0.1:8470" },
      "initial-settings": { type: "string" },
      "seal-key": { type: "string", default: usualSealKeyFile },
      "host-file": { type: "string", default: usualHostFile },
      releases: { type: "string" },
      trust: { type: "string" },
      "steer-clock": { type: "boolean", default: false },
    },
  });
  return {
    state: values.state,
    run: values.run,
    hostFile: values["host-file"],
    initialSettings: values["initial-settings"] ?? environment.STEWARD_INITIAL_SETTINGS,
    serve: {
      ...ownInstaller(values, started),
      listen: loopback(values.listen),
      sealKeyFile: values["seal-key"],
      maySteerClock: values["steer-clock"],
    },
  };
}

/** The directories of a trial, in which the installer is a process of our own user. */
function ownInstaller(
  values: { releases?: string; trust?: string; state: string; "host-file": string },
  { node, script }: Started,
): Partial<Pick<AgentConfig, "installer">> {
  const { releases, trust } = values;
  if (releases === undefined && trust === undefined) return {};
  if (releases === undefined || trust === undefined)
    throw new StewardError("validation_failed", "Give --releases and --trust together, or neither of them");
  const directories = { releases: resolve(releases), trust: resolve(trust) };
  const [state, hostFile] = [resolve(values.state), resolve(values["host-file"])];
  return { installer: { directories, program: { node, script, state, hostFile } } };
}

/** `address:port` or `[v6]:port`. Plain HTTP stays on loopback, where no other machine can read it. */
function loopback(text: string): { host: string; port: number } {
  const [, v6, v4, port] = /^(?:\[([0-9a-f:]+)\]|([0-9.]+)):(\d{1,5})$/i.exec(text) ?? [];
  const host = v6 ?? v4 ?? "";
  const isLoopback = host === "::1" || (isIP(host) === 4 && host.startsWith("127."));
  if (isLoopback && Number(port) <= 65_535) return { host, port: Number(port) };
  throw new StewardError(
    "validation_failed",
    `--listen must be a loopback address and a port such as 127.0.0.1:8470, not "${text}"`,
  );
}

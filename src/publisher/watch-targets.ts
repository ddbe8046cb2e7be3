import { ScrapeTargets, writeTargets } from "../publishing/rollout/scrape-targets.ts";
import { CommandError } from "../terminal/command-error.ts";
import type { Invocation, Option } from "../terminal/commands/command.ts";
import { escapeText } from "../terminal/escape.ts";
import { wholeNumberIn } from "./repository.ts";

export const targetFileOptions: readonly Option[] = [
  {
    name: "file-sd",
    value: "FILE",
    summary:
      "write the addresses that have reported within a week as targets of Prometheus (file_sd_configs), when they change and at most each minute",
  },
  { name: "file-sd-port", value: "PORT", summary: "the port of the devices' HTTPS in it; 8443 if not given" },
];

/** Milliseconds between two writes: Prometheus reads the file at each. */
const writeMilliseconds = 60_000;

/** The port of a device's HTTPS, unless its host file has another. */
const usualPort = "8443";

/** The file of --file-sd, and what it is to have. undefined: not given. Throws CommandError: 2, 6. */
export function targetFileOf({ options, output }: Invocation) {
  const path = options.text("file-sd");
  if (path === undefined && options.has("file-sd-port"))
    throw new CommandError(2, "--file-sd-port is for --file-sd.");
  if (path === undefined) return undefined;
  // Prometheus refuses its configuration otherwise.
  if (!/\.(json|ya?ml)$/.test(path))
    throw new CommandError(
      6,
      escapeText(`--file-sd takes a file whose name ends with .json or .yml, not "${path}".`),
    );
  const port = options.text("file-sd-port") ?? usualPort;
  const targets = new ScrapeTargets(wholeNumberIn(port, "file-sd-port", 1, 65_535));
  let written = Number.NEGATIVE_INFINITY;
  const write = async (isLast: boolean): Promise<void> => {
    const now = performance.now();
    if (!isLast && now - written < writeMilliseconds) return;
    const isFirst = written < 0;
    written = now;
    await writeTargets(path, targets.text()).catch(async (error: Error) => {
      // A watch that stops roll-outs goes on without it.
      if (isFirst) throw error;
      await output.remark(error.message);
    });
  };
  return { targets, write };
}

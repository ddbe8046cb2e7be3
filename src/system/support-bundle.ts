import { StewardError } from "../contract/errors.ts";
import type { StartFilter, Timers } from "../host/ports.ts";

/** Makes the archive of `steward doctor --bundle`, whole in memory. Those who ask at the same time get the same one. */
export type MakeSupportBundle = () => Promise<Buffer>;

interface SupportBundleOptions {
  /** Absolute paths of the runtime and of the command line. */
  readonly node: string;
  readonly script: string;
  /** The variables by which the command line finds this agent's socket, state and host file. */
  readonly places: Readonly<Record<string, string>>;
  readonly start: StartFilter;
  readonly timers: Timers;
}

/** Seconds; doctor gives a disk that is dying 45 for each of its ten looks. */
const longestSeconds = 480;

/** Bytes, some hundred times what 500 lines of a log and the documents' list take. */
const mostBytes = 16 * 1024 ** 2;

/** Exit codes of doctor for a whole archive: nothing to do, and something for a person to do. */
const wholeArchive = [0, 10];

export function createSupportBundle(options: SupportBundleOptions): MakeSupportBundle {
  let running: Promise<Buffer> | undefined;
  return () => {
    running ??= made(options).finally(() => {
      running = undefined;
    });
    return running;
  };
}

/** Doctor is a process of its own: it reads much, and examines the agent from outside. */
async function made({ node, script, places, start, timers }: SupportBundleOptions): Promise<Buffer> {
  const environment = Object.entries(places).map(([name, value]) => `${name}=${value}`);
  const filter = start("env", [...environment, node, script, "doctor", "--quiet", "--bundle", "-"]);
  filter.input.end();
  const forget = timers.after(longestSeconds, filter.stop);
  const pieces: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const piece of filter.output as AsyncIterable<Buffer>) {
      bytes += piece.length;
      if (bytes > mostBytes) throw failed(`it wrote more than ${mostBytes} bytes`);
      pieces.push(piece);
    }
    const { status, complaint } = await filter.ended;
    if (status === null || !wholeArchive.includes(status) || bytes === 0)
      throw failed(complaint.trim() || `it ended with ${status ?? "a signal"}`);
    return Buffer.concat(pieces);
  } finally {
    forget();
    filter.stop();
  }
}

function failed(why: string): StewardError {
  return new StewardError(
    "internal_error",
    `The support bundle could not be made: ${why}. On the device, root can type \`steward doctor --bundle FILE\`.`,
  );
}

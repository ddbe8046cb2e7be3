import { StewardError } from "../../contract/errors.ts";
import { objectIn } from "../../contract/text/json-of.ts";
import type { Filter, StartFilter } from "../../host/ports.ts";
import { pour } from "../../store/archives/pour.ts";
import { unusableBackup } from "./read-archive.ts";

/** The key that a backup is encrypted with: a passphrase, or the public keys of those who can open it. */
export type SealingKey = { readonly passphrase: string } | { readonly recipients: readonly string[] };

/** The key that opens it: the passphrase, or private keys (`AGE-SECRET-KEY-1…`), a line each, of which one is a recipient's. */
export type OpeningKey = { readonly passphrase: string } | { readonly identity: string };

/** The first line of the process's input. */
export type AgeOrder = ({ readonly mode: "seal" } & SealingKey) | ({ readonly mode: "open" } & OpeningKey);

/** The last line of its standard error, if it fails. */
export interface AgeComplaint {
  readonly code: "bad_order" | "bad_key" | "wrong_key" | "not_age" | "too_costly" | "damaged" | "failed";
  /** Continues a sentence whose subject is the file, or is an error of the system. */
  readonly detail: string;
}

/** Encryption by age, in a process of its own for each stream. */
export type Age = ReturnType<typeof createAge>;

/** Milliseconds until the first byte: the process has started by then, and has tried its keys at a header. */
const mostBeginMilliseconds = 30_000;

/** `node`, `script`: absolute paths of the runtime and of backup.js. */
export function createAge(
  node: string,
  script: string,
  start: StartFilter,
  beginMilliseconds = mostBeginMilliseconds,
) {
  const through = (order: AgeOrder, source: AsyncIterable<Uint8Array>) =>
    // Node 20 warns on standard error that its X25519 is experimental.
    filtered(start(node, ["--no-warnings", script]), order, source, AbortSignal.timeout(beginMilliseconds));
  return {
    /** Throws `validation_failed` for recipients that are not age's; `internal_error`. */
    seal: (plain: AsyncIterable<Uint8Array>, key: SealingKey): AsyncGenerator<Uint8Array> =>
      through({ mode: "seal", ...key }, plain),
    /**
     * The yielded bytes are authentic, but known to be whole only at its end. Throws `backup_key_wrong`, `backup_unusable`
     * for what is damaged, cut short or no file of age; `internal_error`; and what the source throws.
     */
    open: (sealed: AsyncIterable<Uint8Array>, key: OpeningKey): AsyncGenerator<Uint8Array> =>
      through({ mode: "open", ...key }, sealed),
  };
}

/** A caller who stops early ends the process, and the source with it; `late` ends one that has given no byte yet. */
async function* filtered(
  filter: Filter,
  order: AgeOrder,
  source: AsyncIterable<Uint8Array>,
  late: AbortSignal,
): AsyncGenerator<Uint8Array> {
  let fault: unknown = null;
  const giveUp = (): void => {
    fault = explained({ code: order.mode === "open" ? "too_costly" : "failed", detail: tooLate });
    filter.stop();
  };
  late.addEventListener("abort", giveUp);
  filter.input.write(`${JSON.stringify(order)}\n`);
  const feeding = pour(source, filter.input).catch((error: unknown) => {
    fault = error;
    filter.stop();
  });
  try {
    for await (const piece of filter.output) {
      late.removeEventListener("abort", giveUp);
      yield piece;
    }
    const { status, complaint } = await filter.ended;
    await feeding;
    if (fault !== null) throw fault;
    if (status !== 0)
      throw explained(
        (objectIn(complaint.trimEnd().split("\n").at(-1) ?? "") as AgeComplaint | undefined) ??
          unexplained(complaint, status),
      );
  } finally {
    late.removeEventListener("abort", giveUp);
    filter.stop();
    await feeding;
  }
}

const tooLate = "its key was not found in time, or this device is too busy; try again";

function unexplained(complaint: string, status: number | null): AgeComplaint {
  const ended = `it ended with ${status ?? "a signal, as where memory is short"}`;
  return { code: "failed", detail: complaint.trim() || ended };
}

function explained({ code, detail }: AgeComplaint): StewardError {
  switch (code) {
    case "wrong_key":
      return new StewardError(
        "backup_key_wrong",
        `The backup does not open: ${detail}. Nothing was changed.`,
      );
    case "bad_key":
      return new StewardError("validation_failed", `The backup needs another key: ${detail}.`);
    case "not_age":
      return unusableBackup(`is not a file encrypted by age: ${detail}`);
    case "too_costly":
      return unusableBackup(`is not opened here: ${detail}`);
    case "damaged":
      return unusableBackup(`is damaged or cut short: ${detail}`);
    default:
      return new StewardError("internal_error", `The process for backups has failed: ${detail}.`);
  }
}

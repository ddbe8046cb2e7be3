import { type Fault, StewardError } from "../../contract/errors.ts";
import type { Configuration, ConfigurationChange } from "../../contract/types.ts";
import {
  type RootOfTrust,
  readRootOfTrust,
  readRootToInstall,
  requireSuccession,
} from "../../tuf/root-of-trust.ts";

/** The comparison of a file's root of trust of updates with the installed one. */
interface JudgedRoot {
  readonly faults: readonly Fault[];
  /** null: the file names none, or the installed one. */
  readonly change: { readonly before: RootOfTrust | null; readonly after: RootOfTrust } | null;
}

type WantedRoot = NonNullable<Configuration["update_root"]>;

/**
 * `readInstalled` returns null if none is installed; it throws `update_root_unusable` for one that root did not write.
 */
export async function judgeRoot(
  { update_root: wanted }: Configuration,
  readInstalled: () => Promise<Uint8Array | null>,
): Promise<JudgedRoot> {
  if (wanted === undefined) return { faults: [], change: null };
  try {
    const before = await present(readInstalled);
    const chain = read(wanted);
    const after = chain.at(-1);
    if (after === undefined) return { faults: [], change: null };
    chain.forEach((next, index) => {
      const former = index === 0 ? predecessor(before, chain) : chain[index - 1];
      if (former) at(pointerOf(wanted, index), () => requireSuccession(former.root, next.metadata));
    });
    return { faults: [], change: before?.fingerprint === after.fingerprint ? null : { before, after } };
  } catch (error) {
    if (error instanceof RootFault) return { faults: [error.fault], change: null };
    throw error;
  }
}

/** The change as people read it: by fingerprint and version. */
export function rootChanges({ change }: JudgedRoot): ConfigurationChange[] {
  if (change === null) return [];
  const { before, after } = change;
  const version = (trust: RootOfTrust | null) => trust && String(trust.root.version);
  const members = [
    { member: "fingerprint", before: before?.fingerprint ?? null, after: after.fingerprint },
    { member: "version", before: version(before), after: version(after) },
  ];
  return [{ subject: "update_root", name: "", action: before === null ? "created" : "changed", members }];
}

/** null: none is installed, or none that can be used. */
export async function installedFingerprint(
  readInstalled: () => Promise<Uint8Array | null>,
): Promise<string | null> {
  try {
    const bytes = await readInstalled();
    return bytes && readRootOfTrust(bytes).fingerprint;
  } catch (error) {
    if (error instanceof StewardError) return null;
    throw error;
  }
}

async function present(readInstalled: () => Promise<Uint8Array | null>): Promise<RootOfTrust | null> {
  try {
    const bytes = await readInstalled();
    return bytes && readRootOfTrust(bytes);
  } catch (error) {
    if (!(error instanceof StewardError)) throw error;
    const advice = "replace that one with `steward update trust install FILE --replace`";
    throw new RootFault(
      "/update_root",
      error.code,
      `has an installed root before it that fails: ${error.message} If the publisher has started over with new keys, ${advice}`,
    );
  }
}

/** A chain may begin before the installed root, and then continues from it. */
function predecessor(before: RootOfTrust | null, chain: readonly RootOfTrust[]): RootOfTrust | null {
  return chain.some(({ fingerprint }) => fingerprint === before?.fingerprint) ? null : before;
}

/** The root of trust that is to be installed. Throws `update_root_unusable` and `update_metadata_malformed`. */
export function lastRoot(wanted: WantedRoot): RootOfTrust | null {
  const last = Array.isArray(wanted) ? wanted.at(-1) : wanted;
  return last === undefined ? null : readRootOfTrust(bytesOf(last));
}

/** Each root must be whole and signed by its own threshold; the last one is to be used, and must be usable here. */
function read(wanted: WantedRoot) {
  const list = Array.isArray(wanted) ? wanted : [wanted];
  return list.map((root, index) =>
    at(pointerOf(wanted, index), () => {
      const metadata = bytesOf(root);
      const isLast = index === list.length - 1;
      return { ...(isLast ? readRootToInstall(metadata) : readRootOfTrust(metadata)), metadata };
    }),
  );
}

/** The command reads no file that is nested so deep; others may ask the agent. */
function bytesOf(root: object): Buffer {
  try {
    return Buffer.from(JSON.stringify(root));
  } catch (cause) {
    throw new StewardError("update_metadata_malformed", "It is nested too deep.", { cause });
  }
}

function pointerOf(wanted: WantedRoot, index: number): string {
  return Array.isArray(wanted) ? `/update_root/${index}` : "/update_root";
}

class RootFault extends Error {
  readonly fault: Fault;

  constructor(pointer: string, code: string, detail: string) {
    super(detail);
    this.fault = { pointer, code, detail, as: "validation_failed", sentence: `${pointer} ${detail}` };
  }
}

function at<T>(pointer: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof StewardError)) throw error;
    throw new RootFault(pointer, error.code, `cannot be installed: ${error.message}`);
  }
}

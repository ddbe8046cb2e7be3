import { durationSecondsOrNaN } from "../contract/durations.ts";
import { requireClock } from "../publishing/clock.ts";
import type { DeviceKind } from "../publishing/export/needed-releases.ts";
import { externalKeys } from "../publishing/keys/external-signer.ts";
import { readKeysAtHand, readPrivateKey, type SigningKey } from "../publishing/keys/private-keys.ts";
import { architectureNamed, architectureNames } from "../publishing/release-entry.ts";
import { isRoleName, type RoleName, roleNames } from "../publishing/roles.ts";
import { readState, type State } from "../publishing/state.ts";
import {
  type AskPassphrase,
  type Surroundings,
  type Workspace,
  withWorkspace,
} from "../publishing/workspace.ts";
import { CommandError } from "../terminal/command-error.ts";
import type { Invocation, Option, Positional } from "../terminal/commands/command.ts";
import { escapeText } from "../terminal/escape.ts";
import { withHiddenInput } from "../terminal/prompt.ts";

export const directoryPositional: Positional = { name: "DIR" };

export const keyOption: Option = {
  name: "key",
  value: "FILE",
  summary: "a private key (PEM) beside those in DIR/keys; may be repeated",
};

/** The keys of a command, beside those in DIR/keys. */
export const signingOptions: readonly Option[] = [
  keyOption,
  {
    name: "signer",
    value: "COMMAND",
    summary:
      "a shell command that signs elsewhere (HSM, KMS, CI): the bytes on its standard input, the signature on its standard output; may be repeated",
  },
];

export const clockIsRightOption: Option = {
  name: "clock-is-right",
  summary: "this machine's clock is right, and another machine that signed earlier was ahead",
};

/** The devices that a command is about. */
export const deviceOptions: readonly Option[] = [
  { name: "product", value: "NAME", summary: "releases for this product; for all if not given" },
  {
    name: "arch",
    value: "ARCH",
    values: architectureNames,
    summary: "releases for this architecture, by any of its names; for all if not given",
  },
  { name: "channel", value: "CHANNEL", summary: "releases of this channel; of all if not given" },
];

export function deviceKindOf({ options }: Pick<Invocation, "options">): DeviceKind {
  return {
    product: options.text("product"),
    arch: architectureNamed(options.text("arch")),
    channel: options.text("channel"),
  };
}

export const thresholdOption: Option = {
  name: "threshold",
  value: "ROLE=N",
  summary: "how many keys of a role must sign; may be repeated",
};

/** Time, and the terminal to ask for a passphrase on. */
export function surroundingsOf({ context }: Invocation): Surroundings {
  const askPassphrase: AskPassphrase = async (file) => {
    if (context.stdin.isTTY) return withHiddenInput(context, (ask) => ask(`Passphrase of ${file}: `));
    throw new CommandError(
      2,
      escapeText(`${file} has a passphrase. Run this in a terminal, which can ask for it.`),
    );
  };
  return { now: () => new Date(), askPassphrase };
}

/**
 * Does `work` on the repository while no other command changes it, and the clock is not behind it. The repository is the one in the given directory, by
 * default the first argument. `work` gets the keys of --key and --signer with those in DIR/keys, and then only the former.
 */
export function onWorkspace<T>(
  invocation: Invocation,
  work: (workspace: Workspace, keys: readonly SigningKey[], named: readonly SigningKey[]) => Promise<T>,
  [directory = ""]: readonly string[] = invocation.positionals,
): Promise<T> {
  return withWorkspace(directory, surroundingsOf(invocation), async (workspace) => {
    const state = await readState(workspace);
    if (!invocation.options.has(clockIsRightOption.name)) requireClock(workspace, state);
    const { named, inDirectory } = await keysAtHand(invocation, workspace, state);
    return work(workspace, [...named, ...inDirectory], named);
  });
}

async function keysAtHand({ options, output }: Invocation, workspace: Workspace, state: State) {
  const { keys, sealed } = await readKeysAtHand(workspace.keys);
  const inFiles = await keysNamed(options.texts("key"), workspace.askPassphrase);
  const elsewhere = options.texts("signer").flatMap((command) => externalKeys(command, state));
  for (const file of sealed.filter((one) => !options.texts("key").includes(one)))
    await output.remark(
      escapeText(`${file} has a passphrase and was not used. To be asked for it, add --key ${file}.`),
    );
  return { named: [...inFiles, ...elsewhere], inDirectory: keys };
}

/** One after the other, because each may ask for a passphrase. */
async function keysNamed(files: readonly string[], ask: AskPassphrase): Promise<SigningKey[]> {
  const keys: SigningKey[] = [];
  for (const file of files) keys.push(await readPrivateKey(file, ask));
  return keys;
}

/** The values of an option `ROLE=VALUE`, by role; where the value may be left out, empty ones. Throws CommandError(2). */
export function byRole(
  { options }: Pick<Invocation, "options">,
  option: string,
  form: "ROLE=VALUE" | "ROLE, or ROLE=FILE," = "ROLE=VALUE",
): Partial<Record<RoleName, string[]>> {
  const found: Partial<Record<RoleName, string[]>> = {};
  for (const text of options.texts(option)) {
    const [, role = "", value = ""] = /^([a-z]+)(?:=(.+))?$/s.exec(text) ?? [];
    if (!isRoleName(role) || (value === "" && form === "ROLE=VALUE"))
      throw new CommandError(
        2,
        escapeText(`--${option} expects ${form} with a role of ${roleNames.join(", ")}, not "${text}".`),
      );
    found[role] = [...(found[role] ?? []), value];
  }
  return found;
}

/** The same with parsed values; the last value of a repeated role counts. */
export function oneByRole<T>(
  invocation: Pick<Invocation, "options">,
  option: string,
  read: (text: string) => T,
): Partial<Record<RoleName, T>> {
  const texts = Object.entries(byRole(invocation, option));
  return Object.fromEntries(texts.map(([role, values]) => [role, read(values?.at(-1) ?? "")]));
}

export const marginOption: Option = {
  name: "margin",
  value: "DURATION",
  summary:
    "end with 10 when root, targets, rules or binary expire within it; a quarter of their period if not given",
};

/** undefined: not given. Throws CommandError(6). */
export function marginSecondsOf({ options }: Pick<Invocation, "options">): number | undefined {
  const text = options.text("margin");
  return text === undefined ? undefined : secondsIn(text, "margin", "a duration such as 36h or 14d");
}

/** The seconds of an option's duration, from `least` to `most`; `wanted`: both for people. Throws CommandError(6). */
export function secondsIn(
  text: string,
  option: string,
  wanted: string,
  [least, most] = [0, Infinity],
): number {
  const seconds = durationSecondsOrNaN(text);
  if (seconds >= least && seconds <= most) return seconds;
  throw new CommandError(6, escapeText(`--${option} takes ${wanted}, not "${text}".`));
}

/** Throws CommandError(6). */
export function wholeNumberIn(text: string, option: string, least: number, most: number): number {
  const number = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
  if (number >= least && number <= most) return number;
  throw new CommandError(
    6,
    escapeText(`--${option} takes a whole number from ${least} to ${most}, not "${text}".`),
  );
}

/** The most keys of one role. */
const mostKeys = 32;

export function thresholdsOf(invocation: Pick<Invocation, "options">): Partial<Record<RoleName, number>> {
  return oneByRole(invocation, "threshold", (text) => wholeNumberIn(text, "threshold", 1, mostKeys));
}

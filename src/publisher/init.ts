import { type InitRequest, initRepository } from "../publishing/init/init.ts";
import { type NamedKey, readPublicKey } from "../publishing/keys/public-keys.ts";
import { type RoleName, roleNames } from "../publishing/roles.ts";
import type { Command, Invocation } from "../terminal/commands/command.ts";
import { joinLines } from "../terminal/escape.ts";
import {
  byRole,
  directoryPositional,
  oneByRole,
  secondsIn,
  surroundingsOf,
  thresholdOption,
  thresholdsOf,
} from "./repository.ts";
import { draftLines, draftsOf } from "./view.ts";

export const initCommand: Command = {
  path: ["init"],
  summary: "Make a repository of signed updates, with its keys",
  positionals: [directoryPositional],
  options: [
    {
      name: "product",
      value: "NAME",
      summary: "the product of the releases, as in the host files of devices; steward if not given",
    },
    {
      name: "public-key",
      value: "ROLE=FILE",
      summary: "a public key (PEM) whose private half is elsewhere, such as in an HSM; may be repeated",
    },
    thresholdOption,
    {
      name: "expires",
      value: "ROLE=DURATION",
      summary:
        "time from signing to expiry; if not given root=365d, targets, rules and binary 90d, snapshot=30d, timestamp=7d",
    },
  ],
  async run(invocation) {
    const { positionals, options, output } = invocation;
    const [directory = ""] = positionals;
    const surroundings = surroundingsOf(invocation);
    const request: InitRequest = {
      product: options.text("product") ?? "steward",
      publicKeys: await publicKeysOf(invocation, "public-key"),
      thresholds: thresholdsOf(invocation),
      periods: oneByRole(invocation, "expires", periodOf),
    };
    const state = await initRepository(directory, request, surroundings);
    const drafts = draftsOf(state);
    await output.changed(
      { directory, product: request.product, drafts },
      joinLines([
        `The repository ${directory} for the product ${request.product} was made; its private keys are in ${directory}/keys.`,
        "Keep those of root, targets, rules and binary in a safe place, and bring them back to sign. Those of snapshot and timestamp are needed for each publish and renew.",
        ...draftLines(drafts, { directory, owners: {} }),
        `Next: steward-publisher publish ${directory}. It needs no release, and writes ${directory}/public/metadata/1.root.json, the file that devices trust, such as in their image.`,
        `Then: steward-publisher add ${directory} FILE.tar.gz --kind rules --name NAME --release VERSION`,
      ]),
    );
  },
};

/** The public keys that an option names, by role. */
export async function publicKeysOf(
  invocation: Invocation,
  option: string,
): Promise<Partial<Record<RoleName, NamedKey[]>>> {
  return readPublicKeys(byRole(invocation, option));
}

/** The public keys in files, by role. */
export async function readPublicKeys(
  files: Partial<Record<RoleName, readonly string[]>>,
): Promise<Partial<Record<RoleName, NamedKey[]>>> {
  const keys: Partial<Record<RoleName, NamedKey[]>> = {};
  for (const role of roleNames)
    for (const file of files[role] ?? []) keys[role] = [...(keys[role] ?? []), await readPublicKey(file)];
  return keys;
}

/** Ten years: with a longer period there would be no expiry at all. */
const longestSeconds = 3_653 * 86_400;

function periodOf(text: string): number {
  const wanted = "1m to 3653d such as timestamp=7d";
  return secondsIn(text, "expires", { wanted, least: 60, most: longestSeconds });
}

import { type Remade, remakeRepository, skippedVersions } from "../publishing/init/from-public.ts";
import { type InitRequest, initRepository } from "../publishing/init/init.ts";
import { type NamedKey, readPublicKey } from "../publishing/keys/public-keys.ts";
import { type RoleName, roleNames, versionsIn } from "../publishing/roles.ts";
import { unsaidProduct } from "../publishing/workspace.ts";
import { CommandError } from "../terminal/command-error.ts";
import type { Command } from "../terminal/commands/command.ts";
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
      summary:
        "the product of the releases, as in the host files of devices; steward, or that of the releases in PUBLIC, if not given",
    },
    {
      name: "public-key",
      value: "ROLE=FILE",
      excludes: "from",
      summary: "a public key (PEM) whose private half is elsewhere, such as in an HSM; may be repeated",
    },
    { ...thresholdOption, excludes: "from" },
    {
      name: "from",
      value: "PUBLIC",
      summary:
        "recreate a lost repository from the uploaded directory, which is verified as devices do; makes no keys",
    },
    {
      name: "keys",
      value: "KEYS",
      summary: "with --from: a directory of private keys, which are copied to DIR/keys",
    },
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
    const periods = oneByRole(invocation, "expires", periodOf);
    const [from, keys, product] = ["from", "keys", "product"].map((name) => options.text(name));
    if (from !== undefined) {
      const remade = await remakeRepository(directory, { from, keys, product, periods }, surroundings);
      const document = { directory, ...remade, published: versionsIn(remade.published) };
      return output.changed(document, remadeSentences(remade, directory, from));
    }
    if (keys !== undefined) throw new CommandError(2, "--keys is for --from.");
    const request: InitRequest = {
      product: product ?? unsaidProduct,
      publicKeys: await readPublicKeys(byRole(invocation, "public-key")),
      thresholds: thresholdsOf(invocation),
      periods,
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

function remadeSentences({ product, published, keys }: Remade, directory: string, from: string): string {
  const roles = versionsIn(published).map(({ role, version }) => `${role} ${version}`);
  const until = published.timestamp?.signed.expires ?? "";
  return joinLines([
    `The repository ${directory} for the product ${product} was made again from ${from}, which devices can read: ${roles.join(", ")}, and each payload.`,
    `Its timestamp ${Date.parse(until) > Date.now() ? "is" : "was"} good until ${until}. If the server or another copy has a later one, make the repository from that copy: this one lacks what was published since. If it is the latest that is left, and devices know a later one: steward-publisher renew ${directory} targets rules binary && steward-publisher publish ${directory}`,
    `The next versions are higher by ${skippedVersions}, because devices never go back.`,
    ...keys.map(({ role, key_id, file }) => `Key of ${role}: ${key_id.slice(0, 16)}, ${file ?? "elsewhere"}`),
    `Next: steward-publisher renew ${directory}`,
  ]);
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
  return secondsIn(text, "expires", "1m to 3653d such as timestamp=7d", [60, longestSeconds]);
}

import { readFile } from "node:fs/promises";
import { rethrown } from "../contract/errors.ts";
import { attachSignature, bytesToSign, type SignResult, signDraft } from "../publishing/drafts/sign-draft.ts";
import { putNewFile } from "../publishing/files.ts";
import { describeLack, type KeyHolders, keyName } from "../publishing/keys/signing.ts";
import { type RoleName, roleNames } from "../publishing/roles.ts";
import { openWorkspace, type Workspace } from "../publishing/workspace.ts";
import { CommandError } from "../terminal/command-error.ts";
import type { Command, Invocation } from "../terminal/commands/command.ts";
import { escapeText, joinLines } from "../terminal/escape.ts";
import { fileFailure } from "../terminal/failure.ts";
import { directoryPositional, onWorkspace, signingOptions, surroundingsOf } from "./repository.ts";

export const signCommand: Command = {
  path: ["sign"],
  summary: "Sign the draft of a role: with a key, or elsewhere, from its printed bytes",
  positionals: [directoryPositional, { name: "ROLE", values: roleNames }],
  options: [
    ...signingOptions,
    { name: "print", excludes: "attach", summary: "write the bytes to be signed to standard output" },
    { name: "out", value: "FILE", excludes: "attach", summary: "write them to a file" },
    { name: "attach", value: "FILE", summary: "attach a signature: 64 bytes, or their hex digits" },
    {
      name: "key-id",
      value: "ID",
      summary: "the key of the attached signature; every key is tried if not given",
    },
  ],
  async run(invocation) {
    const { options, output, positionals } = invocation;
    if (options.has("print") || options.has("out")) return print(invocation);
    if (options.has("key-id") && !options.has("attach"))
      throw new CommandError(2, "--key-id is for --attach.");
    const role = roleOf(positionals[1]);
    const { result, holders } = await onWorkspace(invocation, async (workspace, keys, named) => {
      // If keys are named, only these sign.
      const signed = options.has("attach")
        ? await attach(invocation, workspace, role)
        : await signDraft(workspace, role, named.length > 0 ? named : keys);
      return { result: signed, holders: workspace };
    });
    await output.changed(result, signSentence(result, holders));
  },
};

async function print(invocation: Invocation): Promise<void> {
  const { options, output, positionals } = invocation;
  const [directory = "", role] = positionals;
  const workspace = await openWorkspace(directory, surroundingsOf(invocation));
  const bytes = await bytesToSign(workspace, roleOf(role));
  const file = options.text("out");
  const text = Buffer.from(bytes).toString("utf8");
  if (file === undefined) {
    if (escapeText(text) === text) return output.text(text);
    throw new CommandError(
      6,
      "The draft contains control characters, which devices refuse and a terminal would act on. To read it, write it to a file with --out FILE.",
    );
  }
  await putNewFile(file, bytes);
  await output.remark(
    joinLines([
      `${file} holds the bytes to be signed, such as with: openssl pkeyutl -sign -rawin -inkey KEY.pem -in ${file} -out ${file}.sig`,
      `Then: steward-publisher sign ${directory} ${role} --attach ${file}.sig`,
    ]),
  );
}

async function attach({ options }: Invocation, workspace: Workspace, role: RoleName): Promise<SignResult> {
  const path = options.text("attach") ?? "";
  const file = await readFile(path).catch(rethrown((error) => fileFailure(error, path)));
  return attachSignature(workspace, role, { file, keyId: options.text("key-id") });
}

function signSentence({ role, version, signed_by, lacking }: SignResult, holders: KeyHolders): string {
  const done = `The draft of ${role} version ${version} is signed by ${signed_by.map((id) => keyName(id, holders.owners)).join(", ")}.`;
  const left =
    lacking.length === 0
      ? `Next: steward-publisher publish ${holders.directory}`
      : `Still, ${describeLack(role, lacking, holders)}`;
  return joinLines([done, left]);
}

function roleOf(text: string | undefined): RoleName {
  return roleNames.find((role) => role === text) ?? "root";
}

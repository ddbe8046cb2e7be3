import { readFile } from "node:fs/promises";
import { putNewFile } from "../publishing/files.ts";
import { addPrivateKey, type PrivateKey } from "../publishing/private-keys.ts";
import { type PublishResult, publish, renewOnline } from "../publishing/publish.ts";
import { renewRole } from "../publishing/renew.ts";
import {
  type DraftedRole,
  draftedRoles,
  isDraftedRole,
  isRoleName,
  type RoleName,
  roleNames,
} from "../publishing/roles.ts";
import { attachSignature, bytesToSign, type SignResult, signDraft } from "../publishing/sign-draft.ts";
import { describeLack } from "../publishing/signing.ts";
import { openWorkspace, type Workspace } from "../publishing/workspace.ts";
import type { Command, Invocation } from "./command.ts";
import { CommandError } from "./context.ts";
import { fileFailure } from "./failure.ts";
import { fingerprintGroups } from "./fingerprint.ts";
import { repoAdd } from "./repo-add.ts";
import {
  byRole,
  directoryPositional,
  keyOption,
  onWorkspace,
  surroundingsOf,
  thresholdOption,
  thresholdsOf,
} from "./repo-command.ts";
import { publicKeysOf, repoInit } from "./repo-init.ts";
import { repoInspect } from "./repo-inspect.ts";

const sign: Command = {
  path: ["repo", "sign"],
  summary: "Sign the draft of a role: with a key, or elsewhere by its printed bytes",
  positionals: [directoryPositional, { name: "ROLE", values: roleNames }],
  options: [
    keyOption,
    {
      name: "print",
      excludes: "attach",
      summary: "write the bytes that are to be signed to standard output",
    },
    { name: "out", value: "FILE", isFile: true, excludes: "attach", summary: "write them to a file" },
    {
      name: "attach",
      value: "FILE",
      isFile: true,
      summary: "attach a signature: 64 bytes, or their hex digits",
    },
    { name: "key-id", value: "ID", summary: "whose signature --attach is; found by itself if not given" },
  ],
  async run(invocation) {
    const { options, output, positionals } = invocation;
    const [directory = ""] = positionals;
    if (options.has("print") || options.has("out")) return print(invocation);
    if (options.has("key-id") && !options.has("attach"))
      throw new CommandError(2, "--key-id is for --attach.");
    const role = roleOf(positionals[1]);
    const result = await onWorkspace(invocation, "repo sign", (workspace, atHand) =>
      options.has("attach")
        ? attach(invocation, workspace, role)
        : signWithKeys(invocation, workspace, { role, atHand }),
    );
    await output.changed(result, signSentence(result, directory));
  },
};

async function print(invocation: Invocation): Promise<void> {
  const { options, output, positionals } = invocation;
  const [directory = "", role] = positionals;
  const workspace = await openWorkspace(directory, surroundingsOf(invocation, "repo sign"));
  const bytes = await bytesToSign(workspace, roleOf(role));
  const file = options.text("out");
  if (file === undefined) return output.text(Buffer.from(bytes).toString("utf8"));
  await putNewFile(file, bytes);
  await output.remark(
    `${file} holds what is to be signed, such as by: openssl pkeyutl -sign -rawin -inkey KEY.pem -in ${file} -out ${file}.sig\nThen: steward repo sign ${directory} ${role} --attach ${file}.sig`,
  );
}

async function attach({ options }: Invocation, workspace: Workspace, role: RoleName): Promise<SignResult> {
  const path = options.text("attach") ?? "";
  const file = await readFile(path).catch((error: unknown) => {
    throw fileFailure(error, path);
  });
  return attachSignature(workspace, role, { file, keyId: options.text("key-id") });
}

/** A key that is named is the one that shall sign, and no other. */
async function signWithKeys(
  { options }: Invocation,
  workspace: Workspace,
  { role, atHand }: { role: RoleName; atHand: Parameters<typeof signDraft>[2] },
): Promise<SignResult> {
  const named = new Set(options.texts("key"));
  return signDraft(workspace, role, named.size === 0 ? atHand : atHand.filter(({ file }) => named.has(file)));
}

function signSentence({ role, version, signed_by, lacking }: SignResult, directory: string): string {
  const done = `The draft of ${role} version ${version} is signed by ${signed_by.map((id) => id.slice(0, 16)).join(", ")}.`;
  const left =
    lacking.length === 0
      ? `Next: steward repo publish ${directory}`
      : `Still, ${describeLack(role, lacking, directory)}`;
  return `${done}\n${left}`;
}

const publishCommand: Command = {
  path: ["repo", "publish"],
  summary: "Verify the drafts as devices do, and put them into DIR/public",
  positionals: [directoryPositional],
  options: [keyOption],
  async run(invocation) {
    const result = await onWorkspace(invocation, "repo publish", publish);
    await reportPublished(invocation, result);
  },
};

async function reportPublished({ output, positionals }: Invocation, result: PublishResult): Promise<void> {
  const [directory = ""] = positionals;
  const { published, payloads, last, fingerprint, remarks } = result;
  const isFirst = published.some(({ role, version }) => role === "root" && version === 1);
  const roles = published.map(({ role, version, expires }) => `${role} ${version} (until ${expires})`);
  const lines =
    published.length === 0
      ? [`Nothing is new in ${directory}. To date the timestamp anew: steward repo renew ${directory}`]
      : [
          `Published in ${directory}/public: ${roles.join(", ")}.`,
          ...payloads.map((path) => `New for devices: ${path}`),
          `Upload ${directory}/public: what is in targets/ first, and last of all ${last.map((name) => `metadata/${name}`).join(" and then ")}.`,
          ...(isFirst
            ? [
                `Devices are to trust ${directory}/public/metadata/1.root.json, whose fingerprint is\n\n${fingerprintGroups(fingerprint)}`,
              ]
            : []),
        ];
  await output.changed(result, [...lines, ...remarks].join("\n"));
}

const renew: Command = {
  path: ["repo", "renew"],
  summary: "Date the timestamp anew (for cron), or draft the next version of roles, also with other keys",
  positionals: [
    directoryPositional,
    { name: "ROLE", isOptional: true, isRepeated: true, values: draftedRoles },
  ],
  options: [
    keyOption,
    {
      name: "add-key",
      value: "ROLE=FILE",
      summary: "a public key (PEM) that shall sign for a role; may be repeated",
    },
    {
      name: "new-key",
      value: "ROLE",
      values: roleNames,
      summary: "the same with a key that is made in DIR/keys",
    },
    { name: "remove-key", value: "ROLE=ID", summary: "a key that shall sign no more; may be repeated" },
    thresholdOption,
  ],
  async run(invocation) {
    const { positionals, output } = invocation;
    const [directory = "", ...roles] = positionals;
    const changesKeys = ["add-key", "new-key", "remove-key", "threshold"].some((name) =>
      invocation.options.has(name),
    );
    if (changesKeys && roles.length !== 1) {
      throw new CommandError(
        2,
        "Keys are changed in one role at a time: name root or targets, which holds the keys of the others.",
      );
    }
    if (roles.length === 0) {
      return reportPublished(invocation, await onWorkspace(invocation, "repo renew", renewOnline));
    }
    const results = await onWorkspace(invocation, "repo renew", async (workspace, keys) => {
      const { made, ...changes } = await keyChanges(invocation, workspace);
      const all = new Map<DraftedRole, Awaited<ReturnType<typeof renewRole>>[number]>();
      for (const role of roles.filter(isRoleName).filter(isDraftedRole))
        for (const one of await renewRole(workspace, role, { keys: [...keys, ...made], changes }))
          all.set(one.role, one);
      return [...all.values()];
    });
    const lines = results.map(({ role, version, expires, lacking }) => {
      const drafted = `${role} version ${version}, good until ${expires}, is drafted`;
      return lacking.length === 0
        ? `${drafted} and signed.`
        : `${drafted}; ${describeLack(role, lacking, directory)}`;
    });
    await output.changed(results, [...lines, `Next: steward repo publish ${directory}`].join("\n"));
  },
};

async function keyChanges(invocation: Invocation, workspace: Workspace) {
  const add = await publicKeysOf(invocation, "add-key");
  const made: PrivateKey[] = [];
  for (const role of invocation.options.texts("new-key").filter(isRoleName)) {
    const key = await addPrivateKey(workspace.keys, role);
    add[role] = [...(add[role] ?? []), key];
    made.push(key);
    await invocation.output.remark(`A new key of ${role} lies in ${key.file}.`);
  }
  return { made, add, remove: byRole(invocation, "remove-key"), thresholds: thresholdsOf(invocation) };
}

function roleOf(text: string | undefined): RoleName {
  return roleNames.find((role) => role === text) ?? "root";
}

export const repoCommands: readonly Command[] = [repoInit, repoAdd, sign, publishCommand, renew, repoInspect];

import { type PublishResult, publish } from "../publishing/publish.ts";
import type { Command, Invocation } from "./command.ts";
import { fingerprintGroups } from "./fingerprint.ts";
import { directoryPositional, keyOption, onWorkspace } from "./repo-command.ts";

export const repoPublish: Command = {
  path: ["repo", "publish"],
  summary: "Verify the drafts as devices do, and put them into DIR/public",
  positionals: [directoryPositional],
  options: [keyOption],
  async run(invocation) {
    const result = await onWorkspace(invocation, "repo publish", publish);
    await reportPublished(invocation, result);
  },
};

export async function reportPublished(
  { output, positionals }: Invocation,
  result: PublishResult,
): Promise<void> {
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

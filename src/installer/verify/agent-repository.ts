import { keptRootName } from "../../tuf/kept-roots.ts";
import type { Repository } from "../../tuf/repository.ts";
import { type AgentFile, type AgentFiles, fileOfRole, readWhole } from "../files/agent-files.ts";

/** The agent's metadata as a repository. The installer trusts it no more than a server. */
export interface AgentRepository extends Repository {
  /** The metadata of a role, read once; null: there is none. */
  readRole(role: string, maximumBytes: number): Promise<Uint8Array | null>;
}

/** Each file is read once, so that the agent cannot change it between verification and use. */
export function createAgentRepository({
  metadata,
  roots,
}: Omit<AgentFiles, "payload" | "close">): AgentRepository {
  const taken = new Map<AgentFile, Uint8Array>();
  const readOnce = async (file: AgentFile | undefined, maximumBytes: number): Promise<Uint8Array | null> => {
    if (file === undefined) return null;
    const bytes = taken.get(file) ?? readWhole(file, maximumBytes);
    taken.set(file, bytes);
    return bytes;
  };
  const readRole: AgentRepository["readRole"] = (role, maximumBytes) =>
    readOnce(fileOfRole(metadata, role), maximumBytes);
  return {
    readRole,
    readMetadata: async (name, { maximumBytes }) => {
      const root = /^(\d+)\.root\.json$/.exec(name)?.[1];
      const role = name.replace(/\.json$/, "");
      const bytes =
        root === undefined
          ? // Under the name with or without a version: the client checks the version itself.
            ((await readRole(role, maximumBytes)) ??
            (await readRole(role.replace(/^\d+\./, ""), maximumBytes)))
          : await readOnce(fileOfRole(roots, keptRootName(Number(root))), maximumBytes);
      return bytes && { bytes, validators: { etag: null, last_modified: null } };
    },
    openTarget: () =>
      Promise.reject(
        new Error("the agent's repository has no payloads: they are read from its staged files"),
      ),
    cost: () => ({ requests: 0, bodyBytes: 0 }),
  };
}

import { keptRootName } from "../../tuf/kept-roots.ts";
import type { Repository } from "../../tuf/repository.ts";
import { type AgentFile, type AgentFiles, fileOfRole, readWhole } from "../files/agent-files.ts";

/** The agent's trusted metadata as a repository: to root's side they are worth no more than what any server says. */
export interface AgentRepository extends Repository {
  /** The metadata of a role as they were read, or are now; null: there are none. */
  readRole(role: string, maximumBytes: number): Promise<Uint8Array | null>;
}

/** Each file is read once: what was verified is what is used, whatever the agent does with it meanwhile. */
export function createAgentRepository({
  metadata,
  roots,
}: Omit<AgentFiles, "payload" | "close">): AgentRepository {
  const taken = new Map<AgentFile, Promise<Uint8Array>>();
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
          ? // With its version before it, or without: it is the client that holds it against the version.
            ((await readRole(role, maximumBytes)) ??
            (await readRole(role.replace(/^\d+\./, ""), maximumBytes)))
          : await readOnce(fileOfRole(roots, keptRootName(Number(root))), maximumBytes);
      return bytes && { bytes, validators: { etag: null, last_modified: null } };
    },
    openTarget: () => Promise.reject(new Error("payloads are taken from what was staged")),
    cost: () => ({ requests: 0, bodyBytes: 0 }),
  };
}

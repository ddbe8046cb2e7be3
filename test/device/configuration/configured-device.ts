import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import {
  type InProcessOptions,
  runSteward,
  startAgentInProcess,
} from "../../../lab/agents/agent-in-process.ts";
import { atEnd, type Ending, temporaryDirectory } from "../../../lab/basics/ending.ts";

/** All users of the file have it. */
export const password = "seven crooked ladders lean";

/** The test key of RFC 6238 as a longer one, in base32. */
export const secret = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ";

/** A token, and the hash that a file has of it. */
export function newToken() {
  const text = `stw_${randomBytes(32).toString("base64url")}`;
  return { text, token_hash: createHash("sha256").update(text).digest("hex") };
}

export const tokenOf = (token_hash: string) => ({
  token_hash,
  name: "prometheus",
  user: "monitor",
  scopes: ["system:read"],
});

/** A new device, a file for it, and `steward apply`. */
export async function startDevice(ending: Ending, world: Pick<InProcessOptions, "time"> = {}) {
  const hostFile = join(await temporaryDirectory(ending), "steward.json");
  const agent = await startAgentInProcess({ arguments: ["--host-file", hostFile], ...world });
  atEnd(ending, () => agent.dispose());
  const environment = {
    ...{ STEWARD_SOCKET: agent.socket, STEWARD_STATE: agent.stateDirectory },
    STEWARD_HOST_FILE: hostFile,
  };
  const steward = (words: readonly string[], input = "") => runSteward(words, { environment, input });
  const hash = (await steward(["hash-password", "--password-stdin"], `${password}\n`)).stdout.trim();
  const fleet = newToken();
  const whole: Record<string, unknown> = {
    version: 1,
    users: [
      { name: "fleet", role: "admin", password_hash: hash, display_name: "The fleet" },
      { name: "monitor", role: "readonly", password_hash: hash },
    ],
    tokens: [{ ...tokenOf(fleet.token_hash), expires_in: "30d" }],
    settings: { device: { name: "edge-7" }, security: { session_idle: "45m" } },
  };
  const apply = (file: unknown, ...options: string[]) =>
    steward(["apply", "-", ...options], JSON.stringify(file));
  const applied = async (file: unknown) => {
    const { code, stdout, stderr } = await apply(file, "-o", "json");
    assert.equal(code, 0, stderr);
    return JSON.parse(stdout) as { changed: boolean; changes: { action: string; name: string }[] };
  };
  /** Refused with 6, and these places; nothing is changed. */
  const refused = async (file: unknown, pointers: string[]) => {
    const state = () => readState(agent.stateDirectory);
    const present = await state();
    const { code, stderr } = await apply(file, "-o", "json");
    assert.equal(code, 6, stderr);
    const { errors } = JSON.parse(stderr) as { errors: { pointer: string }[] };
    assert.deepEqual(errors.map(({ pointer }) => pointer).sort(), [...pointers].sort());
    assert.deepEqual(await state(), present);
    assert.equal(existsSync(join(agent.stateDirectory, ".transaction.json")), false);
  };
  return { agent, environment, hash, hostFile, fleet, whole, steward, apply, applied, refused };
}

/** Reads from the disk all that a configuration may change, without the notes of a use or a sign-in. */
export async function readState(directory: string): Promise<unknown[]> {
  const read = async (name: string) => JSON.parse(await readFile(join(directory, `${name}.json`), "utf8"));
  const [users, tokens, settings] = [await read("users"), await read("tokens"), await read("settings")];
  return [
    users.accounts.map(({ last_login_at: _, ...account }: Record<string, unknown>) => account),
    tokens.tokens.map(({ last_used_at: _, last_used_from: __, ...token }: Record<string, unknown>) => token),
    settings,
  ];
}

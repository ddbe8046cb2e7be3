import { cp, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { DocumentName } from "../../src/contract/document-names.ts";
import { enrol } from "../agents/enrol.ts";
import { adminName, adminPassword, type RunningAgent } from "../agents/running-agent.ts";
import { type Ending, temporaryDirectory } from "../basics/ending.ts";
import { startAgent } from "./state-directory.ts";

export type LivedInState = Awaited<ReturnType<typeof makeLivedInState>>;

/** State that an agent has written and closed: one administrator, one session, the device's name "pump 7". */
export async function makeLivedInState(test: Ending) {
  const directory = await temporaryDirectory(test);
  const original = join(directory, "state");
  await mkdir(original, { mode: 0o700 });
  const agent = await startAgent(test, { stateDirectory: original });
  const { token, refreshToken } = await agent.signedInAdmin();
  const wanted = { name: "fleet", scopes: ["system:read"] };
  const { json } = await agent.call("POST", "/api/tokens", { token, body: wanted });
  await agent.call("PUT", "/api/system", { token, body: { device: { name: "pump 7" } } });
  await addEnrolledUser(agent, token);
  await agent.stop();
  await measureOscillator(original);
  return {
    refreshToken,
    apiToken: String(json.token),
    /** This directory has it; to be copied from, not changed. */
    original,
    /** A copy of it in a directory of its own. */
    copy: async (user: Ending): Promise<string> => {
      const copy = join(await temporaryDirectory(user), "state");
      await cp(original, copy, { recursive: true });
      await rm(join(copy, ".reserve"), { force: true });
      return copy;
    },
  };
}

/** As a clock that was disciplined for a while leaves it. */
async function measureOscillator(directory: string): Promise<void> {
  for (const name of ["clock.json", "clock.good.json"]) {
    const path = join(directory, name);
    await writeFile(path, JSON.stringify({ ...parsed(await readFile(path)), frequency_ppm: 12.5 }));
  }
}

/** Another user with a second factor, whose first code is used. */
async function addEnrolledUser({ call }: RunningAgent, token: string): Promise<void> {
  const body = { username: "ana", role: "readonly", password: adminPassword };
  const { json: ana } = await call("POST", "/api/users", { token, body });
  const signedIn = await call("POST", "/api/auth/login", {
    body: { username: "ana", password: adminPassword },
  });
  await enrol(call, { id: ana.id, token: signedIn.json.access_token, password: adminPassword });
}

export const login = { body: { username: adminName, password: adminPassword } };

/** Ways in which a file is damaged: each makes the bytes of the damaged file from those of the whole one. */
export const damages: Readonly<Record<string, (whole: Buffer) => Buffer>> = {
  truncated: (whole) => whole.subarray(0, whole.length / 2),
  empty: () => Buffer.alloc(0),
  "full of zeros, as after a power cut": (whole) => Buffer.alloc(whole.length),
  garbage: () => Buffer.from([0xff, 0xfe, 0x00, 0x80, 0x7b, 0x22, 0xc3, 0x28]),
  "an array": () => Buffer.from("[]"),
  null: () => Buffer.from("null"),
  "of a wrong schema": (whole) => {
    const { __internal__, ...members } = parsed(whole) as { __internal__: object };
    const wrong = Object.keys(members).map((name) => [name, 7]);
    return Buffer.from(JSON.stringify({ ...Object.fromEntries(wrong), __internal__ }));
  },
  "of a wrong schema and without a format": () => Buffer.from('{"surprise": 1}\n\n'),
  "of a newer format": (whole) =>
    // Newer than the present one of any document.
    Buffer.from(JSON.stringify({ ...parsed(whole), __internal__: { migrations: { version: "1000.0.0" } } })),
};

/** Damages a document and returns the bytes that lie there now; with `"good"`, its good copy. */
export async function damage(
  directory: string,
  name: DocumentName,
  how: (whole: Buffer) => Buffer,
  which: "file" | "good" = "file",
): Promise<Buffer> {
  const path = join(directory, which === "file" ? `${name}.json` : `${name}.good.json`);
  const bytes = how(await readFile(path));
  await writeFile(path, bytes);
  return bytes;
}

/** Damages a document so that neither it nor its good copy can be read. */
export async function damageBoth(directory: string, name: DocumentName): Promise<Buffer> {
  await damage(directory, name, () => Buffer.from("{"), "good");
  return damage(directory, name, () => Buffer.from("not JSON at all"));
}

function parsed(bytes: Buffer): object {
  return JSON.parse(bytes.toString("utf8")) as object;
}

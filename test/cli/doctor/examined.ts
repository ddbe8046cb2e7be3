import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { before, type TestContext } from "node:test";
import { endOfSuite } from "../../../lab/basics/ending.ts";
import { temporaryDirectory } from "../../../lab/command-line/run-steward.ts";
import { makeLivedInState } from "../../../lab/state/damaged-state.ts";
import { choosePlaces } from "../../../src/cli/client/places.ts";
import type { DoctorContext } from "../../../src/cli/doctor/doctor-context.ts";
import { examine } from "../../../src/cli/doctor/examine.ts";
import type { Entry } from "../../../src/cli/doctor/finding.ts";
import { programParts } from "../../../src/contract/findings.ts";
import { createRunCommand } from "../../../src/host/linux/commands.ts";
import { documentKinds } from "../../../src/programs/agent/documents.ts";
import { openExaminedHost } from "../../../src/programs/command-line/examined-host.ts";
import { createStateTools } from "../../../src/store/documents/inspection.ts";

/** Maps each command line of systemctl and its kind to its output. */
export type Said = Readonly<Record<string, string>>;

export function unit(active: string, more = ""): string {
  return `LoadState=loaded\nActiveState=${active}\nSubState=${active === "active" ? "running" : "dead"}\nResult=success\nUnitFileState=enabled\nNRestarts=0\n${more}`;
}

export const showUnit = (name: string) =>
  `systemctl show --property=LoadState,ActiveState,SubState,Result,UnitFileState,NRestarts ${name}`;

export interface Device {
  readonly state?: string;
  readonly files?: Readonly<Record<string, string>>;
  readonly said?: Said;
  readonly now?: Date;
  /** The battery-backed clock shows this time. */
  readonly battery?: Date;
  readonly program?: Partial<DoctorContext["program"]>;
  /** The parts of the program are tried; otherwise they count as working. */
  readonly isTried?: true;
}

/** As the trial of each part says it. */
const wellTried = programParts.map((part) => `${part} ok\n`).join("");

/** A device in a directory of its own. What is no systemctl of its is run as it is. */
export function deviceOf(
  test: TestContext,
  { state, files = {}, said = {}, now, battery, program, isTried }: Device,
): DoctorContext {
  const root = temporaryDirectory(test);
  const stateDirectory = join(root, "state");
  if (state === undefined) mkdirSync(stateDirectory);
  else cpSync(state, stateDirectory, { recursive: true });
  const usual = { "/run/nothing": "", "/releases/nothing": "", "/proc/1/comm": "systemd\n" };
  for (const [path, text] of Object.entries({ ...usual, ...files })) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  const environment = {
    STEWARD_STATE: stateDirectory,
    STEWARD_SOCKET: join(root, "run/steward.sock"),
    STEWARD_HOST_FILE: join(root, "steward.json"),
    STEWARD_RELEASES: join(root, "releases"),
    STEWARD_TRUST: join(root, "trust"),
  };
  const run = createRunCommand();
  return {
    root,
    places: choosePlaces({ has: () => false, text: () => undefined, texts: () => [] }, environment),
    program: {
      version: "1.2.3",
      builtAt: new Date("2026-11-01T00:00:00Z"),
      node: process.execPath,
      nodeVersion: process.version,
      selfCheck: join(import.meta.dirname, "../../../dist/self-check.js"),
      userId: () => process.geteuid?.(),
      ...program,
    },
    host: {
      ...openExaminedHost(() => process.geteuid?.()),
      readRealTimeClock: async () => battery ?? null,
      run: async (name, args, limits) => {
        const line = [name, ...args].join(" ");
        if (name === "/bin/sh") return run(name, args, limits);
        if (name === process.execPath && isTried) return run(name, args, limits);
        if (name === process.execPath) return { status: 0, stdout: wellTried, stderr: "" };
        return said[line] === undefined
          ? { status: 1, stdout: "", stderr: "" }
          : { status: 0, stdout: said[line], stderr: "" };
      },
    },
    openState: async (directory) => createStateTools(directory, documentKinds({})),
    now: () => now ?? new Date(),
  };
}

/** The state of a device that was lived in, made once for a suite; to be called in its body. */
export function livedInState(): { readonly original: string } {
  const ending = endOfSuite();
  const lived = { original: "" };
  before(async () => {
    ({ original: lived.original } = await makeLivedInState(ending));
  });
  return lived;
}

export async function troublesOf(context: DoctorContext): Promise<Entry[]> {
  return (await examine(context)).filter(({ level }) => level !== "ok");
}

import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";
import type { ApplyPlan } from "../../src/host/release-ports.ts";
import { openJournal } from "../../src/installer/files/journal-store.ts";
import { pathsOf, type ReleaseDirectories } from "../../src/installer/files/release-directories.ts";
import { install, type RollbackOrder, rollBack, type VerifyAndCopy } from "../../src/installer/install.ts";
import { guard } from "../../src/installer/trial/guard.ts";
import type { InstallerContext } from "../../src/installer/trial/run-trial.ts";
import { readReleaseJournal } from "../../src/releases/release-journal.ts";
import type { InstalledVersions } from "../../src/releases/selection.ts";
import { createReleaseHost, type SimulatedReleaseHost } from "../simulated/release-host.ts";

export const plan: ApplyPlan = {
  unit: "pump.service",
  activate: null,
  selfTest: null,
  health: { http: [], command: null, successes: 3, intervalSeconds: 5, withinSeconds: 60 },
};

export const idOf = (version: string): string => version.replaceAll(".", "").padStart(32, "0");

/** The installer over a host in memory, without a lock. */
export class SimulatedInstaller {
  readonly host: SimulatedReleaseHost;
  readonly directories: ReleaseDirectories = {
    releases: mkdtempSync(join(tmpdir(), "steward-releases-")),
    trust: "/trust",
  };
  plan = plan;
  packaged: InstalledVersions = { rules: null, binary: null };
  /** The unit's log would have these lines. */
  readonly said: string[] = [];

  constructor(options: { hasUnits?: boolean } = {}) {
    this.host = createReleaseHost(options);
  }

  get parts(): Omit<InstallerContext, "journal"> {
    const { host, directories, packaged } = this;
    return {
      host,
      directories,
      packaged,
      plans: { rules: null, binary: this.plan },
      say: (line) => void this.said.push(line),
    };
  }

  readonly verifyAndCopy: VerifyAndCopy = async (id) => {
    const version = [...id.replace(/^0+/, "")].join(".");
    const payload = `${pathsOf(this.directories).copies}/${id}`;
    this.host.entries.set(payload, { text: `the tree of ${version}` });
    return { release: { id, kind: "binary", name: "pump", version } as never, payload, floors: {} };
  };

  async opened(): Promise<InstallerContext> {
    return { ...this.parts, journal: await openJournal(this.host.files, this.directories, this.packaged) };
  }

  async install(version: string): Promise<void> {
    await install(await this.opened(), idOf(version), this.verifyAndCopy);
  }

  async rollBack({ floors = {}, by = "root" }: Partial<RollbackOrder> = {}): Promise<void> {
    await rollBack(await this.opened(), "binary", { by, floors });
  }

  async guard({ isBoot = false } = {}): Promise<void> {
    await guard(await this.opened(), { isBoot });
  }

  async apply(version: string): Promise<void> {
    await this.install(version);
    await this.guard();
  }

  journal() {
    const entry = this.host.entries.get(pathsOf(this.directories).journal);
    assert.ok(entry !== undefined && entry !== "directory" && "text" in entry, "no journal");
    return readReleaseJournal(Buffer.from(entry.text));
  }

  slot() {
    return this.journal().slots.binary;
  }

  /** The version that a link leads to. */
  at(link: "current" | "previous"): string | null {
    const entry = this.host.entries.get(pathsOf(this.directories)[link]("binary"));
    if (entry === undefined || entry === "directory" || !("link" in entry)) return null;
    const tree = this.host.entries.get(`${pathsOf(this.directories).tree(entry.link.slice(-32))}/content`);
    assert.ok(tree !== undefined && tree !== "directory" && "text" in tree, `${link} leads nowhere`);
    return tree.text.replace("the tree of ", "");
  }

  last() {
    return this.journal().history.at(-1);
  }
}

const sides: SimulatedInstaller[] = [];
export const open = (options = {}): SimulatedInstaller => {
  const side = new SimulatedInstaller(options);
  sides.push(side);
  return side;
};
after(() => {
  for (const { directories } of sides) rmSync(directories.releases, { recursive: true, force: true });
});

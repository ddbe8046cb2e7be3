import { spawn, spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { atEnd } from "../basics/ending.ts";

/** systemd-journal-remote(8): makes a real journal of what systemd calls its export format. */
const program = "/lib/systemd/systemd-journal-remote";

/** A test, or a suite with its `after`: its end removes what was made for it. */
export interface Owner {
  after(clean: () => void | Promise<void>): void;
}

/** Fields of one entry; a list is a field that was sent several times. */
export type Fields = Readonly<Record<string, string | Buffer | readonly string[]>>;

/** 2026-11-20T12:00:00.000Z, the time of the first entry; each next one is a second later. */
export const firstMoment = Date.UTC(2026, 10, 20, 12);

/** A line of the agent's own, as its log writes it. */
export function ownFields(members: object, fields: Fields = {}): Fields {
  const MESSAGE = JSON.stringify({ time: new Date(firstMoment).toISOString(), severity: "info", ...members });
  return {
    _SYSTEMD_UNIT: "steward.service",
    _PID: "77",
    PRIORITY: "6",
    SYSLOG_IDENTIFIER: "node",
    MESSAGE,
    ...fields,
  };
}

/** Writes a journal with these entries and says how journalctl finds it. */
export function makeJournal(test: Owner, entries: readonly Fields[]): string {
  const path = join(temporaryDirectory(test), "test.journal");
  const { status, stderr } = spawnSync(program, [`--output=${path}`, "-"], {
    input: Buffer.concat(entries.map((fields, index) => exported(fields, index))),
  });
  if (status !== 0) throw new Error(`no journal could be made: ${stderr}`);
  return `--file=${path}`;
}

/** A journal that grows. journalctl follows directories only, not single files. */
export function growJournal(test: Owner) {
  const directory = temporaryDirectory(test);
  const child = spawn(program, [`--output=${join(directory, "system.journal")}`, "-"], {
    stdio: ["pipe", "ignore", "ignore"],
  });
  const ended = new Promise((resolve) => child.once("exit", resolve));
  atEnd(test, async () => {
    child.stdin.end();
    await ended;
  });
  let count = 0;
  return {
    place: `--directory=${directory}`,
    write: (...entries: readonly Fields[]): void => {
      for (const fields of entries) {
        child.stdin.write(exported(fields, count));
        count += 1;
      }
    },
  };
}

/** A program under this name in a directory for the PATH. */
export function writeCommand(test: Owner, name: string, script: string): string {
  const directory = temporaryDirectory(test);
  const path = join(directory, name);
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o755);
  return path;
}

export function temporaryDirectory(test: Owner): string {
  const directory = mkdtempSync(join(tmpdir(), "steward-journal-"));
  atEnd(test, () => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

/** https://systemd.io/JOURNAL_EXPORT_FORMATS: here every field with its length, which any bytes can have. */
function exported(fields: Fields, index: number): Buffer {
  const microseconds = (milliseconds: number) => String(milliseconds * 1_000);
  const all: Fields = {
    __REALTIME_TIMESTAMP: microseconds(firstMoment + index * 1_000),
    __MONOTONIC_TIMESTAMP: microseconds((index + 1) * 1_000),
    _BOOT_ID: "a".repeat(32),
    ...fields,
  };
  const lines = Object.entries(all).flatMap(([name, value]) => {
    const values = Array.isArray(value) ? value : [value];
    return values.map((one: string | Buffer) => field(name, Buffer.from(one)));
  });
  return Buffer.concat([...lines, Buffer.from("\n")]);
}

function field(name: string, value: Buffer): Buffer {
  // The times and the boot are read only as text.
  if (name.startsWith("__") || name === "_BOOT_ID") return Buffer.from(`${name}=${value}\n`);
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(value.length));
  return Buffer.concat([Buffer.from(`${name}\n`), length, value, Buffer.from("\n")]);
}

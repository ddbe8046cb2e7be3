import fs from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { readKeysAtHand } from "../../src/publishing/private-keys.ts";
import { publish } from "../../src/publishing/publish.ts";
import { withWorkspace } from "../../src/publishing/workspace.ts";

/**
 * Publishes DIRECTORY and is killed (SIGKILL) in front of the file operation of this number that changes something;
 * ends by itself when there are fewer. As a process: `DIRECTORY NUMBER TIME`.
 */
const [directory = "", number = "", time = ""] = process.argv.slice(2);
let left = Number(number);

function count(): void {
  left -= 1;
  if (left === 0) process.kill(process.pid, "SIGKILL");
}

type Operation = (...words: unknown[]) => unknown;

function counted(holder: object, name: string): void {
  const original = Reflect.get(holder, name) as Operation;
  Reflect.set(holder, name, function (this: unknown, ...words: unknown[]) {
    // Opening changes something where it makes a file.
    if (name !== "open" || /[wa]/.test(String(words[1]))) count();
    return original.apply(this, words);
  });
}

// What is written into a file that is open changes nothing that has a name of its own yet.
for (const name of ["open", "rename", "link", "unlink", "rm", "mkdir", "chmod", "copyFile"])
  counted(fs, name);
syncBuiltinESMExports();

const surroundings = { now: () => new Date(time), askPassphrase: async () => "" };
await withWorkspace(directory, surroundings, async (workspace) => {
  const { keys } = await readKeysAtHand(workspace.keys);
  await publish(workspace, keys);
});

import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { publisherProgram } from "../build/publisher.ts";
import type { Place } from "./files.ts";

/** The files of the build, with their places below the prefix. */
const files: Readonly<Record<string, string>> = {
  [publisherProgram]: `share/steward-publisher/${publisherProgram}`,
  "completion/steward-publisher.bash": "share/bash-completion/completions/steward-publisher",
  "completion/steward-publisher.fish": "share/fish/vendor_completions.d/steward-publisher.fish",
  "completion/steward-publisher.zsh": "share/zsh/vendor-completions/_steward-publisher",
  "man/steward-publisher.1": "share/man/man1/steward-publisher.1",
};

const launcherPath = "bin/steward-publisher";

/** Runs the program with the runtime of the package steward-runtime where it is installed, or else with the system's. */
const launcher = (prefix: string): string => `#!/bin/sh
node=${join(prefix, "lib/steward/bin/node")}
[ -x "$node" ] || node=node
exec "$node" ${join(prefix, "share/steward-publisher", publisherProgram)} "$@"
`;

/** Puts the publisher's program where it belongs; readable for everybody, writable for its owner, who is the caller. */
export function installPublisher({ destination, prefix }: Place, build: string): void {
  const umask = process.umask(0o022);
  try {
    for (const [built, path] of Object.entries(files)) {
      const target = join(destination, prefix, path);
      mkdirSync(dirname(target), { recursive: true });
      rmSync(target, { force: true });
      writeFileSync(target, readFileSync(join(build, built)));
    }
    const target = join(destination, prefix, launcherPath);
    mkdirSync(dirname(target), { recursive: true });
    rmSync(target, { force: true });
    writeFileSync(target, launcher(prefix), { mode: 0o755 });
  } finally {
    process.umask(umask);
  }
}

/** Takes away what `installPublisher` puts there. Repositories and keys stay. */
export function uninstallPublisher({ destination, prefix }: Place): void {
  rmSync(join(destination, prefix, "share/steward-publisher"), { recursive: true, force: true });
  for (const path of [...Object.values(files), launcherPath])
    rmSync(join(destination, prefix, path), { force: true });
}

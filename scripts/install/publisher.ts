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

/** The lines of Steward's launcher that ask a runtime for its version, and say that none fits. */
function asking(): string {
  const text = readFileSync(join(import.meta.dirname, "../../systemd/steward.launcher"), "utf8");
  const [lines] = /^oldest=.*?(?=^# End of these lines)/ms.exec(text) ?? [];
  if (lines === undefined) throw new Error("systemd/steward.launcher has lost the lines that ask a runtime");
  return lines;
}

/**
 * Runs the program with the runtime of the package steward-runtime, or else with Debian's, or else with one of the person who
 * signs: the PATH stays theirs, as do the commands that sign.
 */
const launcher = (prefix: string): string => `#!/bin/sh
${asking()}
for node in ${join(prefix, "lib/steward/bin/node")} /usr/bin/node "$(command -v node)"; do
  ! fits "$node" || exec "$node" ${join(prefix, "share/steward-publisher", publisherProgram)} "$@"
done
say_unfit "/usr/bin/node or in PATH"
exit 11
`;

/** Puts the publisher's program where it belongs; readable for everybody, writable for its owner, who is the caller. */
export function installPublisher({ destination, prefix }: Place, build: string): void {
  const umask = process.umask(0o022);
  const put = (path: string, content: string | Buffer, mode: number): void => {
    const target = join(destination, prefix, path);
    mkdirSync(dirname(target), { recursive: true });
    rmSync(target, { force: true });
    writeFileSync(target, content, { mode });
  };
  try {
    for (const [built, path] of Object.entries(files)) put(path, readFileSync(join(build, built)), 0o644);
    put(launcherPath, launcher(prefix), 0o755);
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

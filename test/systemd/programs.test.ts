import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { scratchDirectory } from "../../lab/basics/scratch.ts";
import { installPublisher } from "../../scripts/install/publisher.ts";

const root = join(import.meta.dirname, "../..");
const textOf = (path: string): string => readFileSync(join(root, path), "utf8");
const filesIn = (directory: string, form: RegExp): string[] =>
  readdirSync(join(root, directory), { recursive: true, encoding: "utf8" })
    .filter((path) => form.test(path))
    .map((path) => join(directory, path))
    .sort();

/** The programs of Debian, wherever a PATH has them. */
const isProgram = (word: string): boolean =>
  ["/usr/bin", "/usr/sbin", "/bin", "/sbin"].some((directory) => existsSync(join(directory, word)));

/** Words of dash(1), which it takes from no file. */
const builtins = ["[", "echo", "exec", "exit", "kill", "printf", "pwd", "set", "sh", "test", "true", "false"];

/** The words of a shell script that it would look for in the PATH, as far as this machine has such programs. */
function bareWords(script: string): string[] {
  const words = script.matchAll(/(?<![\w./$%="'@:-])[a-z[][\w.-]*(?![\w=/])/g);
  return [...words].map(([word]) => word).filter((word) => isProgram(word) && !builtins.includes(word));
}

/** The commands of what systemd starts, of a file of systemd/. */
function commandsOf(path: string): string[] {
  return [...textOf(path).matchAll(/^Exec\w+=[-+!@:|]*(.+)$/gm)].map(([, command = ""]) => command);
}

/**
 * Every place of src that starts a process, and where its program is found. A new one belongs here: the agent and root's
 * commands have the launcher's PATH, in which nothing of others is; "fixed" is the same PATH, given with the call.
 */
const starts: Readonly<Record<string, readonly string[]>> = {
  "src/cli/client/agent-unit.ts": ["program: the launcher's PATH"],
  "src/cli/events/event-journal.ts": ['"journalctl": the launcher\'s PATH'],
  "src/host/linux/commands.ts": ["program: fixed"],
  "src/host/linux/filters.ts": ["program: fixed"],
  "src/host/linux/nts/key-exchange-process.ts": ["node: the runtime of this process"],
  "src/host/linux/releases/release-programs.ts": ["program: fixed", '"/bin/sh": its path'],
  "src/host/linux/releases/self-test.ts": ["program: fixed"],
  "src/host/linux/systemd/journalctl.ts": ["command: the launcher's PATH"],
  "src/programs/agent/installer-client.ts": ["node: the runtime of this process"],
  "src/programs/command-line/prepare-image.ts": ["program: the runtime of this process"],
  "src/programs/installer/run.ts": ["node: the runtime of this process"],
  // On the machine of the person who signs: their command, and so their PATH.
  "src/publishing/keys/external-signer.ts": ['"env": the PATH of the signer'],
  "src/store/files/lock.ts": ['"flock": the launcher\'s PATH'],
};

describe("each program that Steward starts", () => {
  it("is found by the program in a place that nobody else chooses", () => {
    const found = filesIn("src", /\.ts$/).flatMap((path) => {
      const text = textOf(path);
      if (!text.includes("node:child_process")) return [];
      const calls = text.matchAll(
        /(?<!\.)\b(?:spawn|spawnSync|exec|execSync|execFile|execFileSync|fork)\(\s*([^,()]+)/g,
      );
      return [[path, [...calls].map(([, program = ""]) => program.trim())] as const];
    });
    const listed = Object.entries(starts).map(([path, programs]) => [
      path,
      programs.map((one) => one.replace(/: .*$/, "")),
    ]);
    assert.deepEqual(found, listed);
    for (const [path, programs] of Object.entries(starts))
      if (programs.some((one) => one.endsWith(": fixed")))
        assert.match(textOf(path), /systemPath|environmentOf\(release\)/, path);
  });

  it("is named by its path in the native programs", () => {
    const calls = filesIn("src", /\.[ch]$/).flatMap((path) =>
      [...textOf(path).matchAll(/\b(exec[lv]\w*|posix_spawnp?|system|popen)\(([^,)]*)/g)].map(
        ([, call, program]) => `${call}(${program}`,
      ),
    );
    assert.deepEqual(calls, ['execv("/usr/bin/journalctl"', "execve(SYSTEMCTL"]);
    assert.match(textOf("src/programs/root-helper/orders.c"), /#define SYSTEMCTL "\/usr\/bin\/systemctl"/);
  });

  it("is named by its path in the units, and in their scripts", () => {
    const units = filesIn("systemd", /\.(service|socket|timer|conf)$/);
    const commands = units.flatMap((path) => commandsOf(path).map((command) => [path, command] as const));
    assert.ok(commands.length > 12, String(commands.length));
    for (const [path, command] of commands) {
      assert.match(command, /^\//, path);
      const script = / -c '(.*)'/.exec(command)?.[1] ?? "";
      assert.deepEqual(bareWords(script.replaceAll("$$", "$")), [], `${path}: ${command}`);
    }
  });

  it("would be noticed in a script of a unit", () => {
    assert.deepEqual(bareWords("/sbin/agetty --reload; exec sleep 1800"), ["sleep"]);
    assert.deepEqual(bareWords('[ "$(hostname)" = x ] || cat <y; /bin/sleep 5'), ["hostname", "cat"]);
  });

  it("is found in a PATH of its own by the launcher and each script of the packages, from its first line on", () => {
    const scripts = filesIn("scripts/package/debian", /^[^/]+\.(pre|post)(inst|rm)$/);
    assert.ok(scripts.length >= 6, scripts.join(" "));
    const begins =
      /^#!\/bin\/sh\n(?:set -e\n|#.*\n|\w+=\/\S+\n)*PATH=\/usr\/sbin:\/usr\/bin:\/sbin:\/bin\nexport PATH\n/;
    for (const path of ["systemd/steward.launcher", ...scripts]) {
      assert.match(textOf(path), begins, path);
      assert.equal(textOf(path).split("PATH=").length, 2, path);
    }
  });

  it("is named by its path in the publisher's launcher, which leaves the signer's PATH as it is", () => {
    const directory = scratchDirectory();
    installPublisher({ destination: directory, prefix: "/usr" }, join(root, "dist-publisher"));
    const launcher = readFileSync(join(directory, "usr/bin/steward-publisher"), "utf8");
    const signers = join(directory, "bin");
    mkdirSync(signers);
    for (const name of ["timeout", "sed", "cut", "cmp", "cat"])
      writeFileSync(join(signers, name), `#!/bin/sh\necho "${name} of others"\n`, { mode: 0o755 });
    const elsewhere = launcher.replaceAll(/[\w/]*\/bin\/node\b/g, join(directory, "absent"));
    const ran = (node: string) => {
      writeFileSync(join(signers, "node"), node, { mode: 0o755 });
      return spawnSync("/bin/sh", ["-c", elsewhere], { encoding: "utf8", env: { PATH: signers } });
    };
    const refused = ran("#!/no/interpreter\n");
    assert.equal(refused.status, 11);
    const why = `${join(signers, "node")} does not start (No such file or directory)`;
    const needs = "Steward needs Node.js 20.19 or later";
    assert.match(refused.stderr, /As root: apt install -f --reinstall \S+\n$/);
    assert.equal(refused.stderr.split(" As root:")[0], `${needs}: ${why}.`);
    const started = ran('#!/bin/sh\n[ "$1" = --version ] && echo v22.12.0 || echo "$PATH"\n');
    assert.deepEqual([started.stdout, started.stderr], [`${signers}\n`, ""]);
  });
});

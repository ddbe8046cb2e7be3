import { spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";

/** The input is typed when its question is on the screen. A function is given the screen so far. */
export type Typed = readonly [
  question: string,
  typed: string | ((screen: string) => string | Promise<string>),
];

/**
 * Runs a program on a pseudo-terminal that echoes; each answer is typed when its question is there. `screen` has standard
 * output and standard error as they came; `isRestored`: the terminal has the modes that it had before.
 */
export function typeInto(
  words: readonly string[],
  answers: readonly Typed[],
  environment: Record<string, string> = {},
) {
  const command = words.map((word) => `'${word}'`).join(" ");
  const line = `stty -g; ${command}; code=$?; stty -g; exit $code`;
  const child = spawn("script", ["--echo", "always", "-qec", line, "/dev/null"], {
    env: { PATH: process.env.PATH, SHELL: "/bin/sh", ...environment },
  });
  const left = [...answers];
  let screen = "";
  let seen = 0;
  const answer = async (): Promise<void> => {
    const [question, typed] = left[0] ?? [];
    const at = question === undefined ? -1 : screen.indexOf(question, seen);
    if (question === undefined || at === -1) return;
    seen = at + question.length;
    left.shift();
    child.stdin.write(typeof typed === "function" ? await typed(screen) : (typed ?? ""));
  };
  return new Promise<{ code: number | null; screen: string; isRestored: boolean }>((resolve, reject) => {
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      screen += text;
      answer().catch(reject);
    });
    child.on("error", reject);
    child.on("close", (code) => {
      const modes = screen.match(/^[0-9a-f]+(:[0-9a-f]+){10,}(?=\r$)/gm) ?? [];
      resolve({ code, screen, isRestored: modes.length === 2 && modes[0] === modes[1] });
    });
  });
}

export function allCommandLines(): string {
  const ids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return ids
    .map((id) => {
      try {
        return readFileSync(`/proc/${id}/cmdline`, "utf8");
      } catch {
        return ""; // It has ended meanwhile.
      }
    })
    .join("\n");
}

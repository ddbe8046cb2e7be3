/** The program's entry. It answers --version and `completion` itself, as shells ask at each start, and loads the rest. */
import { readFileSync, writeSync } from "node:fs";

/** JSON that the build defines. */
declare const STEWARD_BUILD: string | undefined;

const [word, ...rest] = process.argv.slice(2);
const isAlone = rest.length === (word === "completion" ? 1 : 0);
const text = isAlone ? answerTo(word, rest[0]) : undefined;
const isAgent = word === "serve" && !rest.includes("--help") && !rest.includes("-h");
if (text !== undefined) say(text);
else if (isAgent) void import("./agent/main.ts");
else void import("./command-line/main.ts");

function answerTo(command: string | undefined, argument: string | undefined): string | undefined {
  if (command === "--version" && typeof STEWARD_BUILD !== "undefined")
    return `steward ${JSON.parse(STEWARD_BUILD).version}\n`;
  if (command !== "completion" || !/^(bash|zsh|fish)$/.test(argument ?? "")) return undefined;
  try {
    return readFileSync(`${import.meta.dirname}/completion/steward.${argument}`, "utf8");
  } catch {
    // The sources have no such file: the command line makes it.
    return undefined;
  }
}

/**
 * Avoids process.stdout, which loads a tenth of Node: it is used only for the rest that a pipe does not take at once.
 */
function say(text: string): void {
  const bytes = Buffer.from(text);
  let written = 0;
  try {
    while (written < bytes.length) written += writeSync(1, bytes, written);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === "EAGAIN") return void process.stdout.write(bytes.subarray(written));
    // As in the command line: a reader that has gone away is not a failure.
    if (code === "EPIPE") return;
    process.stderr.write(`steward: The output could not be written: ${String(code)}.\n`);
    process.exitCode = 1;
  }
}

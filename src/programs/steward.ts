/**
 * What the program is started with: answers at once what needs nothing of it, and loads it for all else. A version or a
 * completion script is asked for by other programs, at each start of a shell.
 */
/** Put in by the build. */
declare const STEWARD_BUILD: { version: string } | undefined;

const [word, shell, ...rest] = process.argv.slice(2);
const isAlone = word === "completion" ? rest.length === 0 : shell === undefined;
const text = isAlone ? answerTo(word, shell) : undefined;
if (text === undefined) await import("./agent/main.ts");
else say(text);

function answerTo(command: string | undefined, argument: string | undefined): string | undefined {
  if (command === "--version" && typeof STEWARD_BUILD !== "undefined")
    return `steward ${STEWARD_BUILD.version}\n`;
  if (command !== "completion" || !/^(bash|zsh|fish)$/.test(argument ?? "")) return undefined;
  try {
    // Not by `import`: that would load a built-in module once more, for modules of our kind.
    const files = process.getBuiltinModule("node:fs");
    return files.readFileSync(`${import.meta.dirname}/completion/steward.${argument}`, "utf8");
  } catch {
    // Run from the sources, there is none: the program makes it.
    return undefined;
  }
}

/** Not by process.stdout, which loads a tenth of what Node loads: only for what a pipe does not take at once. */
function say(text: string): void {
  const files = process.getBuiltinModule("node:fs");
  const bytes = Buffer.from(text);
  let written = 0;
  try {
    while (written < bytes.length) written += files.writeSync(1, bytes, written);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === "EAGAIN") return void process.stdout.write(bytes.subarray(written));
    // As the program itself has it: a reader that has gone away is no failure.
    if (code === "EPIPE") return;
    process.stderr.write(`steward: The output could not be written: ${String(code)}.\n`);
    process.exitCode = 1;
  }
}

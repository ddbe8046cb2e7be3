/**
 * Prints how large the house is, in lines of tracked files: device, publisher, words, proof and published vectors, and what
 * makes it hard to own. Each with its bound; exit code 1 where one is passed.
 */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";

interface Size {
  readonly name: string;
  readonly count: number;
  readonly bound?: number;
}

const files = execFileSync("git", ["ls-files", "src", "test", "lab", "scripts"], { encoding: "utf8" })
  .trimEnd()
  .split("\n")
  .map((path) => ({ path, text: readFileSync(path, "latin1") }));

type File = (typeof files)[number];

const publishers = /^src\/publish(er|ing)\//;
const words = /^src\/(contract\/words|console\/catalogue\/languages)\/(de|en)\//;
const vectors = /^test\/vectors\//;

const isSource = ({ path }: File) => path.startsWith("src/");
const isDevices = ({ path }: File) => path.startsWith("src/") && !publishers.test(path) && !words.test(path);

for (const { name, count, bound } of sizes()) {
  const isOver = bound !== undefined && count > bound;
  if (isOver) process.exitCode = 1;
  const limit = bound === undefined ? "" : `at most ${bound.toLocaleString("en")}${isOver ? ", passed" : ""}`;
  console.info(`${name.padEnd(44)}${count.toLocaleString("en").padStart(8)}  ${limit}`.trimEnd());
}

function sizes(): Size[] {
  const wiring = files.filter(({ path }) => path === "src/programs/agent/wiring.ts");
  return [
    { name: "device, lines without words", count: lines(isDevices), bound: 108_000 },
    { name: "words of two languages, lines", count: lines(({ path }) => words.test(path)) },
    { name: "publisher, lines", count: lines(({ path }) => publishers.test(path)) },
    { name: "proof (test, lab, scripts), lines", count: lines(isProof), bound: 110_000 },
    { name: "published vectors, lines", count: lines(({ path }) => vectors.test(path)) },
    {
      name: "rooms of src",
      count: new Set(files.filter(isSource).map(({ path }) => path.split("/")[1])).size,
      bound: 23,
    },
    { name: "interfaces named …Options", count: matches(/\binterface \w+Options\b/g), bound: 100 },
    { name: "files of 15 lines or less", count: files.filter(isSource).filter(isShort).length, bound: 40 },
    { name: "lines that join members by a spread", count: matches(/\.\.\.\(?\{ /g) },
    {
      name: "programs/agent/wiring.ts, lines",
      count: wiring.reduce((sum, file) => sum + linesOf(file), 0),
      bound: 200,
    },
  ];
}

function isProof({ path }: File): boolean {
  return /^(test|lab|scripts)\//.test(path) && !vectors.test(path);
}

function isShort(file: File): boolean {
  return /\.(tsx?|css|c|h)$/.test(file.path) && linesOf(file) <= 15;
}

function lines(isCounted: (file: File) => boolean): number {
  return files.filter(isCounted).reduce((sum, file) => sum + linesOf(file), 0);
}

function linesOf({ text }: File): number {
  return text.split("\n").length - 1;
}

function matches(pattern: RegExp): number {
  return files.filter(isSource).reduce((sum, { text }) => sum + (text.match(pattern)?.length ?? 0), 0);
}

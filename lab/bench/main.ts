/**
 * `make bench`: what the agent costs, as ratios against peers run in the same call, one after the other in turns.
 * main.ts [NODE…]: what a runtime has a part in is measured on each of these, and on the one that runs this.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeCodeCaches } from "../../scripts/build/code-cache.ts";
import { putProgram } from "../../scripts/install/files.ts";
import { markdownOf } from "../basics/table.ts";
import { applyRows } from "./apply.ts";
import { clockRows } from "./clock.ts";
import { clearEnvironment, scratchDirectory } from "./contestant.ts";
import {
  authenticatedRequests,
  commandLine,
  memoryAfterRest,
  memoryAfterUse,
  memoryWithAuthenticatedTime,
  startAndMemory,
} from "./footprint.ts";
import { largeStateRows } from "./large-state.ts";
import { productPage } from "./product.ts";
import { repeatedReads } from "./reads.ts";
import type { Row } from "./row.ts";
import { signInRows } from "./sign-in.ts";

clearEnvironment();
const begun: Awaited<ReturnType<typeof begin>>[] = [];
for (const node of [process.execPath, ...process.argv.slice(2)]) begun.push(await begin(node));
const runtimes: { node: string; rows: readonly Row[] }[] = [];
for (const one of begun) runtimes.push(await measured(one));
print(runtimes);
const rows = [...(await applyRows()), ...(await clockRows())];
print([{ node: process.version, rows }]);
const directory = join(import.meta.dirname, "../../var");
mkdirSync(directory, { recursive: true });
const everything = { runtimes, node: process.version, rows };
writeFileSync(join(directory, "bench.json"), `${JSON.stringify(everything, undefined, 2)}\n`);

/** A runtime with its program, and what is measured while all else is. */
async function begin(node: string) {
  const { path: directory, remove } = scratchDirectory();
  // As `make install` puts it there for this runtime.
  const program = join(directory, "program");
  putProgram(join(import.meta.dirname, "../../dist"), program);
  await makeCodeCaches(program, node);
  const at = { node, directory, program };
  const afterRest = Promise.all([memoryAfterRest(at), memoryWithAuthenticatedTime(at)]).then((rows) =>
    rows.flat(),
  );
  // Awaited last: a fault of it ends the call then.
  afterRest.catch(() => undefined);
  return { at, afterRest, remove };
}

async function measured({ at, afterRest, remove }: (typeof begun)[number]) {
  try {
    return {
      node: execFileSync(at.node, ["--version"], { encoding: "utf8" }).trim(),
      rows: [
        ...(await startAndMemory(at)),
        ...(await memoryAfterUse(at)),
        ...(await commandLine(at)),
        await authenticatedRequests(at),
        ...(await repeatedReads(at)),
        await productPage(at),
        ...(await signInRows(at)),
        ...(await largeStateRows(at)),
        ...(await afterRest),
      ],
    };
  } finally {
    remove();
  }
}

/** One line a row, with the runtimes beside each other. */
function print(all: typeof runtimes): void {
  const cells = ({ value, peer, unit, ratio, isWithin }: Row): string =>
    `${figure(value, unit)} / ${figure(peer, unit)} ${unit} = ${ratio.toFixed(2)}${isWithin ? "" : " (missed)"}`;
  const lines = (all[0]?.rows ?? []).map(({ what, bound }, index) => {
    const measured = all.map(({ rows }) => rows[index]).map((row) => (row ? cells(row) : ""));
    return [what, bound, ...measured];
  });
  const head = ["what", "bound", ...all.map(({ node }) => `Node ${node.slice(1)}`)];
  process.stdout.write(`${markdownOf(head, lines)}\n`);
}

function figure(value: number, unit: string): string {
  return value.toFixed(unit === "req/s" ? 0 : 1);
}

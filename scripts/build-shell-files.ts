/** Makes the files of the command line for a shell and man(1) from its table of commands. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { wholeTable } from "../src/cli/command-table.ts";
import { writeCompletion } from "./build/completion.ts";
import { hostFilePage } from "./host-file-page.ts";
import { manualPage, stewardPage } from "./manual-page.ts";
import { rescuePage } from "./rescue-page.ts";

const commandTable = await wholeTable();

/** Completion scripts and the manual pages, into `dist`. */
export function writeShellFiles(
  dist: string,
  { version, date }: { version: string; date: string | null },
): void {
  writeCompletion(dist, commandTable);
  mkdirSync(join(dist, "man"));
  const edition = { version, date: date?.slice(0, 10) ?? "" };
  writeFileSync(join(dist, "man/steward.8"), manualPage(commandTable, stewardPage, edition));
  writeFileSync(join(dist, "man/steward.json.5"), hostFilePage(edition));
  const rescue = readFileSync(join(import.meta.dirname, "../docs/rescue.md"), "utf8");
  writeFileSync(join(dist, "man/steward-rescue.7"), rescuePage(rescue, edition));
}

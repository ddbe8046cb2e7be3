/** Fills the packages of the program, of the right to set the clock and of the publisher. */
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { packagesOf } from "../build/bill-of-materials.ts";
import { type Build, install, timekeeperDropIn } from "../install/files.ts";
import { installPublisher } from "../install/publisher.ts";
import { copyrightFile } from "./licences.ts";
import { debianFile, finish, put } from "./trees.ts";

const root = join(import.meta.dirname, "../..");

/** The program, as `make install` puts it, with what Debian asks of a package besides. */
export async function stewardTree(tree: string, build: Build, changelog: string): Promise<void> {
  await install({ destination: tree, prefix: "/usr" }, { build, isTimekeeper: false });
  const home = join(tree, "usr/lib/steward");
  // Debian looks for the manual pages elsewhere, where there is a copy already.
  rmSync(join(home, "man"), { recursive: true });
  const documents = join(tree, "usr/share/doc/steward");
  mkdirSync(documents, { recursive: true });
  const bill = join(documents, "sbom.cdx.json");
  renameSync(join(home, "sbom.cdx.json"), bill);
  for (const path of readdirSync(join(home, "node_modules"), { recursive: true, encoding: "utf8" }))
    if (/\/licen[cs]e[^/]*$/i.test(path)) rmSync(join(home, "node_modules", path));
  writeFileSync(join(documents, "copyright"), copyrightFile(packagesOf(readFileSync(bill, "utf8"))));
  writeFileSync(join(documents, "changelog"), changelog);
  finish(tree, "steward");
}

/** One drop-in for the agent's unit. */
export function timekeeperTree(tree: string, changelog: string): void {
  const dropIn = readFileSync(join(root, "systemd/steward-timekeeper.conf"), "utf8");
  put(tree, join("usr", timekeeperDropIn), dropIn);
  const documents = "usr/share/doc/steward-timekeeper";
  put(tree, `${documents}/copyright`, copyrightFile([]));
  put(tree, `${documents}/changelog`, changelog.replace(/^steward /gm, "steward-timekeeper "));
  finish(tree, "steward-timekeeper");
}

/** The publisher's program, as `make install-publisher` puts it, the same for every kind of machine. */
export function publisherTree(tree: string, build: string, changelog: string): void {
  installPublisher({ destination: tree, prefix: "/usr" }, build);
  const documents = "usr/share/doc/steward-publisher";
  const bill = readFileSync(join(build, "sbom.cdx.json"), "utf8");
  put(tree, `${documents}/sbom.cdx.json`, bill);
  put(tree, `${documents}/copyright`, copyrightFile(packagesOf(bill)));
  put(tree, `${documents}/changelog`, changelog.replace(/^steward /gm, "steward-publisher "));
  finish(tree, "steward-publisher", ["usr/bin/steward-publisher"]);
}

/** Debian's form of the newest part of CHANGELOG.md, as the one of this version. */
export function debianChangelog(version: string, date: number): string {
  const [, newest = ""] = readFileSync(join(root, "CHANGELOG.md"), "utf8").split(/^## .*$/m);
  const paragraphs = newest.trim().replace(/\n {2}(?=\S)/g, " ");
  const lines = paragraphs.split("\n").flatMap((text) => {
    if (text.startsWith("### ")) return [`  [ ${text.slice("### ".length)} ]`];
    return text.startsWith("- ") ? wrapped(text.slice("- ".length)) : [text];
  });
  const maintainer = /^Maintainer: (.*)$/m.exec(debianFile("control"))?.[1];
  return `steward (${version}) stable; urgency=medium

${lines.join("\n")}

 -- ${maintainer}  ${new Date(date * 1_000).toUTCString().replace("GMT", "+0000")}
`;
}

/** An entry of a changelog, in lines of 80 characters. */
function wrapped(text: string): string[] {
  const lines = text.replace(/(.{1,75})( |$)/g, "$1\n").trimEnd();
  return lines.split("\n").map((line, index) => `${index === 0 ? "  *" : "   "} ${line}`);
}

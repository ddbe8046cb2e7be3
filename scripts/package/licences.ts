/** /usr/share/doc/steward/copyright: what is in the package, by whom, and under which terms. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { BundledPackage } from "../build/bill-of-materials.ts";

const root = join(import.meta.dirname, "../..");

const head = `Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: Steward
`;

/** In Debian's machine-readable form: Steward itself, then each package with its own text. */
export function copyrightFile(packages: readonly BundledPackage[]): string {
  const { license } = createRequire(import.meta.url)(join(root, "package.json")) as { license: string };
  const own = `Files: *
Copyright: 2026 the owners of Steward
License: ${license}
 All rights reserved by the owners of Steward.
`;
  return `${head}Comment:
 The programs are bundles. They hold parts of the packages below, each named
 with its terms; sbom.cdx.json beside this file lists them for programs.

${[own, ...packages.map(paragraph)].join("\n")}`;
}

/** Node.js, whose own file names everything that is in it. */
export function runtimeCopyright(nodePackage: string): string {
  const text = readFileSync(join(nodePackage, "LICENSE"), "utf8");
  return `${head.replace("Steward", "Node.js")}Source: https://nodejs.org/

Files: *
Copyright: Node.js contributors, and those whom the text of the licence names
License: MIT-and-others
${indented(text)}
`;
}

/** Each has a paragraph of its own: texts of one licence differ by who holds the rights. */
function paragraph(one: BundledPackage): string {
  const text = licenseText(one);
  const holders = text.split("\n").filter((line) => isHolder(line));
  const copyright = holders.map((line) => line.replace(/^[\s*]*(copyright)?\s*:?\s*/i, "").trim());
  return `Files: ${one.path}
Copyright: ${copyright.length > 0 ? copyright.join("\n ") : `the authors of ${one.name}`}
License: ${one.license.replaceAll(" ", "-")}~${one.name.replaceAll(/[@/]/g, "-").replace(/^-/, "")}-${one.version}
${indented(`${one.name} ${one.version}\n\n${text}`)}
`;
}

function isHolder(line: string): boolean {
  return /copyright\s+(\(c\)|©|\d{4})|^\(c\)/i.test(line) || /^Copyright \w+ [A-Z]/.test(line);
}

/** The file that the package brings; where it has none, the usual text of the licence that its manifest names. */
function licenseText({ name, path, license }: BundledPackage): string {
  // The native part of argon2 is of the same source, and only there for the machine that it was built for.
  const directory = join(root, path.replace(/(@node-rs\/argon2)-.*/, "$1"));
  const files = existsSync(directory) ? readdirSync(directory) : [];
  const file =
    files.find((one) => /^(licen[cs]e|copying)/i.test(one)) ?? files.find((one) => /^readme/i.test(one));
  const text = file === undefined ? "" : readFileSync(join(directory, file), "utf8");
  if (license === "Apache-2.0") return apache(text);
  if (!/^readme/i.test(file ?? "")) return text;
  const [, section = ""] = /^#+\s*licen[cs]e\s*$([\s\S]*?)(?=^#|^\[|$(?![\s\S]))/im.exec(text) ?? [];
  if (isWhole(section)) return section.trim();
  if (license === "MIT") return mitText();
  throw new Error(`${name} brings no text of its licence, ${license}: scripts/package/licences.ts needs it`);
}

/** A whole text grants something, or gives up a right. */
const isWhole = (text: string): boolean => /permission|redistribution|public domain/i.test(text);

/** Without the line of a holder, as koa has it. */
function mitText(): string {
  const [text] = /^Permission is hereby granted[\s\S]*$/m.exec(
    readFileSync(join(root, "node_modules/koa/LICENSE"), "utf8"),
  ) ?? [""];
  return text;
}

/** Debian has the text of this licence, and asks that packages refer to it. */
function apache(text: string): string {
  const holders = text.split("\n").filter((line) => /^\s*copyright (\(c\)|\d{4})/i.test(line));
  const reference =
    "On Debian systems, the text of the Apache License 2.0 is in /usr/share/common-licenses/Apache-2.0.";
  return [...holders, reference].join("\n");
}

const indented = (text: string): string =>
  text
    .trim()
    .split(/\r?\n/)
    .map((line) => (line.trim() === "" ? " ." : ` ${line.trimEnd()}`))
    .join("\n");

/** Which packages went into a build, and the CycloneDX document that says so. */

import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { Plugin } from "esbuild";
import { nativePackages } from "../packages-in-bundles.ts";

const root = join(import.meta.dirname, "../..");

/** A package of npm, as package-lock.json has it. */
export interface BundledPackage {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  /** SHA-512 of its archive, in hexadecimal digits. */
  readonly sha512: string;
  /** Below the checkout, such as node_modules/koa. */
  readonly path: string;
}

/** Notes the files that a bundle was made of. */
export const notesInputs = (inputs: Set<string>): Plugin => ({
  name: "notes-inputs",
  setup: (esbuild) => {
    esbuild.initialOptions.metafile = true;
    esbuild.onEnd(({ metafile }) => {
      for (const output of Object.values(metafile?.outputs ?? {}))
        for (const [path, { bytesInOutput }] of Object.entries(output.inputs))
          if (bytesInOutput > 0) inputs.add(path);
    });
  },
});

/**
 * The packages that files of bundles belong to, and those that the device's program copies whole. `nodeModules` has the
 * native ones, of one kind of machine; a program without it copies none.
 */
export function bundledPackages(inputs: Iterable<string>, nodeModules?: string): BundledPackage[] {
  const form = /((?:node_modules\/(?:@[^/]+\/)?[^/]+\/)*node_modules\/(?:@[^/]+\/)?[^/]+)\//;
  const copied = nodeModules === undefined ? [] : copiedPackages(nodeModules);
  const paths = new Set([
    ...[...inputs].flatMap((input) => form.exec(input)?.[1] ?? []),
    ...copied.map((name) => `node_modules/${name}`),
  ]);
  const lock = createRequire(import.meta.url)(join(root, "package-lock.json")) as {
    packages: Record<string, Locked>;
  };
  const found = [...paths].sort().map((path) => lockedPackage(path, lock.packages[path]));
  // One version may lie at several paths.
  return [...new Map(found.map((one) => [`${one.name}@${one.version}`, one])).values()];
}

function copiedPackages(nodeModules: string): string[] {
  const native = readdirSync(join(nodeModules, "@node-rs")).map((name) => `@node-rs/${name}`);
  return [...nativePackages, ...native, "@zxcvbn-ts/language-common"];
}

interface Locked {
  readonly name?: string;
  readonly version: string;
  readonly license?: string;
  readonly integrity: string;
}

function lockedPackage(path: string, locked: Locked | undefined): BundledPackage {
  if (!locked) throw new Error(`${path} is in a bundle and not in package-lock.json`);
  const [, hash = ""] = /^sha512-(.+)$/.exec(locked.integrity) ?? [];
  return {
    name: locked.name ?? path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length),
    version: locked.version,
    license: locked.license ?? licenseOfManifest(path),
    sha512: Buffer.from(hash, "base64").toString("hex"),
    path,
  };
}

/** Older packages have a list, which npm does not put into the lock file. */
function licenseOfManifest(path: string): string {
  const { licenses } = JSON.parse(readFileSync(join(root, path, "package.json"), "utf8")) as {
    licenses?: readonly { type: string }[];
  };
  if (!licenses?.[0]) throw new Error(`${path} does not say its licence`);
  return licenses.map(({ type }) => type).join(" AND ");
}

export interface Component {
  readonly name: string;
  readonly version: string;
  /** An SPDX identifier or expression. */
  readonly license?: string;
  readonly purl: string;
  readonly sha512?: string;
  /** It was taken from this directory. */
  readonly path?: string;
}

/** CycloneDX 1.5 in JSON. */
export function billOfMaterials(
  { name: subject, version: own, date }: Pick<Component, "name" | "version"> & { date: string | null },
  components: readonly Component[],
): string {
  const document = {
    $schema: "http://cyclonedx.org/schema/bom-1.5.schema.json",
    bomFormat: "CycloneDX",
    specVersion: "1.5",
    version: 1,
    metadata: {
      ...(date !== null && { timestamp: date }),
      component: { type: "application", "bom-ref": subject, name: subject, version: own },
    },
    components: components.map(({ name, version, license, purl, sha512, path }) => ({
      ...{ type: "library", "bom-ref": purl, name, version },
      ...(sha512 !== undefined && { hashes: [{ alg: "SHA-512", content: sha512 }] }),
      ...(license !== undefined && {
        licenses: [license.includes(" ") ? { expression: license } : { license: { id: license } }],
      }),
      purl,
      ...(path !== undefined && { evidence: { occurrences: [{ location: path }] } }),
    })),
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}

/** As a component, with its package URL. */
export function npmComponent(one: BundledPackage): Component {
  return { ...one, purl: `pkg:npm/${one.name.replace("@", "%40")}@${one.version}` };
}

/** The packages of npm that a document of `billOfMaterials` lists. */
export function packagesOf(document: string): BundledPackage[] {
  // biome-ignore lint/suspicious/noExplicitAny: it was written above
  const { components } = JSON.parse(document) as { components: any[] };
  return components.map(({ name, version, hashes, licenses, evidence }) => ({
    ...{ name, version, sha512: hashes[0].content, path: evidence.occurrences[0].location },
    license: licenses[0].license?.id ?? licenses[0].expression,
  }));
}

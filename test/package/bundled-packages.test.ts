import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { build } from "esbuild";
import {
  billOfMaterials,
  bundledPackages,
  notesInputs,
  npmComponent,
  packagesOf,
} from "../../scripts/build/bill-of-materials.ts";
import { copyrightFile } from "../../scripts/package/licences.ts";

const root = join(import.meta.dirname, "../..");
const nodeModules = join(root, "node_modules");

/** The files that a bundle of this text is made of. */
async function inputsOf(contents: string): Promise<Set<string>> {
  const inputs = new Set<string>();
  const stdin = { contents, resolveDir: root };
  const plugins = [notesInputs(inputs)];
  await build({ stdin, plugins, bundle: true, write: false, platform: "node", logLevel: "silent" });
  return inputs;
}

describe("the packages of a bundle", () => {
  it("are those that it has code of, and the native ones", async () => {
    const inputs = await inputsOf(
      `import nacl from "tweetnacl"; import { renderSVG } from "uqr"; nacl.sign;`,
    );
    const names = bundledPackages(inputs, nodeModules).map(({ name }) => name);
    assert.ok(names.includes("tweetnacl"), names.join(" "));
    assert.ok(!names.includes("uqr"), "of which nothing is used");
    for (const name of ["@node-rs/argon2", "ntp-client", "@zxcvbn-ts/language-common"])
      assert.ok(names.includes(name), `${name} among ${names.join(" ")}`);
  });

  it("are listed with version, licence and the hash that package-lock.json has", () => {
    const [found] = bundledPackages(["node_modules/koa/lib/application.js"], nodeModules).filter(
      ({ name }) => name === "koa",
    );
    assert.ok(found);
    assert.deepEqual(
      { ...found, sha512: found.sha512.length },
      { ...{ name: "koa", version: "3.3.0", license: "MIT", sha512: 128, path: "node_modules/koa" } },
    );
  });

  it("are refused where package-lock.json does not know one", () => {
    assert.throws(
      () => bundledPackages(["node_modules/nowhere/index.js"], nodeModules),
      /node_modules\/nowhere is in a bundle and not in package-lock\.json/,
    );
  });

  it("come back from the document that lists them", () => {
    const packages = bundledPackages(["../node_modules/koa/lib/application.js"], nodeModules);
    const subject = { name: "steward", version: "1.2.3", date: null };
    assert.deepEqual(packagesOf(billOfMaterials(subject, packages.map(npmComponent))), packages);
  });

  it("each have their terms in the copyright file", () => {
    const files = [
      "node_modules/koa/a.js",
      "node_modules/ecdsa-sig-formatter/src/index.js",
      "node_modules/koa-compose/index.js",
    ];
    const text = copyrightFile(bundledPackages(files, nodeModules));
    assert.match(
      text,
      /^Files: node_modules\/koa\nCopyright: \(c\) .*Koa contributors\nLicense: MIT~koa-3\.3\.0$/m,
    );
    assert.match(text, /^ Permission is hereby granted, free of charge/m);
    assert.match(text, /^ On Debian systems, .* is in \/usr\/share\/common-licenses\/Apache-2\.0\.$/m);
  });

  it("each have a whole text of their licence, also those that bring none", () => {
    const packages = packagesOf(readFileSync(join(root, "dist/sbom.cdx.json"), "utf8"));
    assert.ok(
      packages.some(({ name }) => name === "koa-compose"),
      "which brings none",
    );
    const paragraphs = copyrightFile(packages)
      .split(/\n(?=Files: )/)
      .slice(2);
    assert.equal(paragraphs.length, packages.length);
    for (const text of paragraphs)
      assert.match(text, /Permission|Redistribution|public domain|common-licenses\/Apache-2\.0/i);
  });
});

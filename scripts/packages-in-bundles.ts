/** Puts packages into a bundle: into the program's, and into those that the tests are compiled to. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Plugin } from "esbuild";

/** Loaded from node_modules when first needed: a native module, and one whose `new Buffer` Node warns of elsewhere. */
export const nativePackages: readonly string[] = ["@node-rs/argon2", "node-ntp-client"];

/** On the first line of an ES module that holds CommonJS ones. */
export const requireBanner = `import{createRequire as __createRequire}from"node:module";const require=__createRequire(import.meta.url);`;

/**
 * koa needs the media types that it serves, and its mime-db brings 2,500: 287 KB of a 522 KB bundle, read at each
 * start. The agent sets Content-Type itself everywhere; these few are for koa's own look-ups.
 */
export const fewMediaTypes: Plugin = {
  name: "few-media-types",
  setup: (esbuild) => {
    esbuild.onLoad({ filter: /mime-db\/db\.json$/ }, ({ path }) => {
      const all = JSON.parse(readFileSync(path, "utf8")) as Record<string, object>;
      const wanted = ["application/json", "application/octet-stream", "text/html", "text/plain"];
      const few = Object.fromEntries(wanted.map((type) => [type, all[type]]));
      return { contents: JSON.stringify(few), loader: "json" };
    });
  },
};

/** These modules replace a package's own. */
const instead: readonly { readonly filter: RegExp; readonly contents: string }[] = [
  // @koa/router traces each route it tries through `debug`, 22 calls a request that do nothing but cost a fifth of it.
  { filter: /node_modules\/debug\/src\/index\.js$/, contents: "module.exports = () => () => {};" },
  // Look by semver, with all that it has for ranges, if this Node is of version 16 or later.
  {
    filter: /node_modules\/jsonwebtoken\/lib\/(asymmetricKeyDetails|ps|rsaPssKeyDetails)Supported\.js$/,
    contents: "module.exports = true;",
  },
  // Warns developers of deprecated calls; at each start it looks up where in the source it was asked to.
  {
    filter: /node_modules\/depd\/index\.js$/,
    contents: `module.exports = () => Object.assign(() => {}, { function: (one) => one, property: () => {} });`,
  },
  // Ends streams of Nodes before 16, for which it loads those of files and of zlib.
  {
    filter: /node_modules\/destroy\/index\.js$/,
    contents: `module.exports = (stream, isSilent) => {
  stream.destroy?.();
  if (isSilent) stream.removeAllListeners?.("error").addListener("error", () => {});
  return stream;
};`,
  },
];

/**
 * conf has when-exit delete the files that it is writing when a signal ends the process, and send the signal once more. By
 * SIGHUP the agent goes on: it would read its files twice, and a write at that moment would fail.
 */
const signalsOfWhenExit = /node_modules\/when-exit\/dist\/node\/signals\.js$/;

const httpErrors = createRequire(import.meta.url).resolve("http-errors");

/**
 * node:assert, loaded when something fails it. conf asks its `deepEqual` only whether two stores differ, one of which has no
 * prototype: that is no difference.
 */
const lateAssert = `const { isDeepStrictEqual } = require("node:util");
const differ = () => { throw new Error("The values differ."); };
module.exports = Object.assign(
  (value, ...rest) => value || require("node:assert")(value, ...rest),
  { deepEqual: (one, other) => isDeepStrictEqual({ ...one }, { ...other }) || differ() },
);`;

/**
 * The attestations of makers, by certificates that no one here looks at: 300 of 440 KB. Without them an authenticator
 * attests nothing, or itself (WebAuthn §8.2, §8.7), and anything else is refused.
 */
const attestations =
  /@simplewebauthn\/server\/esm\/(metadata\/|services\/metadataService|registration\/verifications\/(tpm\/|verifyAttestation(FIDOU2F|Android|Apple))|helpers\/(validateCertificatePath|isCertRevoked|getCertificateInfo|convert(X509|Cert)|validateExt)).*\.js$/;

/** A module of the same names, each of which refuses. */
function refusing(path: string): string {
  const exported = /^export (?:async )?(?:function|class|const|let|var) (\w+)/gm;
  const names = [...readFileSync(path, "utf8").matchAll(exported)].map(([, name]) => `refuse as ${name}`);
  return `function refuse() { throw new Error("This attestation is not looked at."); }
export { ${names.join(", ")} };`;
}

/** Packages that koa asks about few requests, with the members that it calls. http-errors makes 60 classes when it runs. */
const late: Readonly<Record<string, readonly string[]>> = {
  accepts: [],
  "http-assert": [],
  "http-errors": [],
  "mime-types": ["contentType"],
  "type-is": ["is"],
};

/** Functions in the place of a package's, which runs when the first of them is called. `path` is the package's. */
function lateFunctions(path: string, members: readonly string[]): string {
  const called = (member: string): string =>
    `(...words) => require(${JSON.stringify(path)})${member}(...words)`;
  const others = members.map((member) => `${member}: ${called(`.${member}`)}`);
  return `module.exports = Object.assign(${called("")}, { ${others.join(", ")} });`;
}

/** Modules that koa and conf are given in the place of Node's. */
const ofNode: readonly (readonly [name: string, importer: RegExp, namespace: string, contents: string])[] = [
  // koa and conf only need it for what fails; its differ of texts and the rest cost 0.3 MiB.
  ["assert", /node_modules\/(koa|conf)\//, "late-assert", lateAssert],
  // koa asks for it where each request is to have a storage of its own: from Node 24 on, 0.15 MiB.
  ["async_hooks", /node_modules\/koa\//, "no-storage", "exports.AsyncLocalStorage = class {};"],
  // koa asks whether it is being put into a snapshot, which the program never is.
  ["v8", /node_modules\/koa\//, "no-snapshots", ""],
];

/** Leaves out the parts of packages that serve others, and that the agent would pay for at each start or request. */
export const slimPackages: Plugin = {
  name: "slim-packages",
  setup: (esbuild) => {
    for (const { filter, contents } of instead)
      esbuild.onLoad({ filter }, () => ({ contents, loader: "js" }));
    esbuild.onLoad({ filter: attestations }, ({ path }) => ({ contents: refusing(path), loader: "js" }));
    esbuild.onLoad({ filter: signalsOfWhenExit }, ({ path }) => ({
      contents: readFileSync(path, "utf8").replace("'SIGHUP', ", ""),
      loader: "js",
    }));
    // http-assert brings an older copy of http-errors, with its own table of statuses; koa's own serves both.
    esbuild.onResolve({ filter: /^http-errors$/ }, ({ importer }) =>
      /node_modules\/http-assert\//.test(importer) ? { path: httpErrors } : null,
    );
    for (const [name, importer, namespace, contents] of ofNode) {
      esbuild.onResolve({ filter: new RegExp(`^node:${name}$`) }, (asked) =>
        importer.test(asked.importer) ? { path: name, namespace } : null,
      );
      esbuild.onLoad({ filter: /.*/, namespace }, () => ({ contents, loader: "js" }));
    }
    esbuild.onResolve({ filter: /^[a-z-]+$/ }, ({ path, importer }) => {
      if (!(path in late) || !/node_modules\/koa\/lib\//.test(importer)) return null;
      // Other programs tell koa's errors by this class.
      if (/application\.js$/.test(importer)) return { path, namespace: "no-errors-to-tell" };
      const pluginData = lateFunctions(createRequire(importer).resolve(path), late[path] ?? []);
      return { path, namespace: "late", pluginData };
    });
    esbuild.onLoad({ filter: /.*/, namespace: "late" }, ({ pluginData: contents }) => ({
      ...{ contents, loader: "js", resolveDir: import.meta.dirname },
    }));
    esbuild.onLoad({ filter: /.*/, namespace: "no-errors-to-tell" }, () => ({
      ...{ contents: "exports.HttpError = class {};", loader: "js" },
    }));
  },
};

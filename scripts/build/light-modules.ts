import { join } from "node:path";
import type { Plugin } from "esbuild";

const directory = join(import.meta.dirname, "light");
const sources = join(import.meta.dirname, "../../src/");
const light: ReadonlyMap<string, string> = new Map([["node:path", join(directory, "paths.ts")]]);

/** Puts modules that take less memory in the places of some of Node's, for the agent's own sources. */
export const lightModules: Plugin = {
  name: "light-modules",
  setup: (esbuild) => {
    esbuild.onResolve({ filter: /^node:path$/ }, ({ path, importer }) => {
      const file = importer.startsWith(sources) ? light.get(path) : undefined;
      return file === undefined ? undefined : { path: file };
    });
  },
};

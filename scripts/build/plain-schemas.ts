import { pathToFileURL } from "node:url";
import type { Plugin } from "esbuild";

/**
 * Gives a program the schemas of the contract as they are once they are put together; the functions of these files are
 * for the documents. esbuild leaves out what is not used, but takes an object that spreads another for one with an
 * effect, and would keep nearly all of them.
 */
export const plainSchemas: Plugin = {
  name: "plain-schemas",
  setup: (esbuild) => {
    esbuild.onLoad({ filter: /\/contract\/(schemas|host-file)\/[a-z-]+\.ts$/ }, async ({ path }) => {
      const exported: Record<string, unknown> = await import(pathToFileURL(path).href);
      const lines = Object.entries(exported)
        .filter(([, value]) => typeof value !== "function")
        .map(([name, value]) => `export const ${name}=${JSON.stringify(value)};\n`);
      return { contents: lines.join(""), loader: "js" };
    });
  },
};

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, relative } from "node:path";
import { pathToFileURL } from "node:url";

/** One fault that can be switched on. */
export interface Mutant {
  readonly id: string;
  /** The source, as seen from the root. */
  readonly file: string;
  readonly line: number;
  /** The text instead of a part of it. */
  readonly replacement: string;
  readonly kind: string;
}

/** Names the fault that is switched on to the code that holds all of them (StrykerJS's own variable). */
export const activeVariable = "__STRYKER_ACTIVE_MUTANT__";

/** A changed sentence is no fault that a test must notice: they match on codes. */
const excludedMutations = ["StringLiteral"];

/** The used part of @stryker-mutator/instrumenter 9.6. */
interface Instrumenter {
  instrument(
    files: readonly { name: string; mutate: true; content: string }[],
    options: { plugins: null; excludedMutations: readonly string[]; ignorers: readonly never[] },
  ): Promise<{
    files: readonly { name: string; content: string }[];
    mutants: readonly {
      id: string;
      fileName: string;
      mutatorName: string;
      replacement: string;
      status?: string;
      location: { start: { line: number } };
    }[];
  }>;
}

/** Puts every fault that StrykerJS knows into `files` (relative to `root`), each behind a switch; gives the new contents. */
export async function instrument(root: string, packages: string, files: readonly string[]) {
  const instrumenter = await loadInstrumenter(packages);
  const sources = files.map((file) => {
    const name = join(root, file);
    return { name, mutate: true as const, content: readFileSync(name, "utf8") };
  });
  const result = await instrumenter.instrument(sources, {
    ...{ plugins: null, excludedMutations, ignorers: [] },
  });
  const mutants: Mutant[] = result.mutants
    .filter(({ status }) => status !== "Ignored")
    .map(({ id, fileName, mutatorName, replacement, location }) => ({
      ...{ id, file: relative(root, fileName), line: location.start.line + 1 },
      ...{ replacement: replacement.replace(/\s+/g, " ").slice(0, 80), kind: mutatorName },
    }));
  return { mutants, contents: new Map(result.files.map(({ name, content }) => [name, content])) };
}

/** From the directory that it was installed into: it is needed by this one command, and is no dependency of the rest. */
async function loadInstrumenter(packages: string): Promise<Instrumenter> {
  const resolve = createRequire(join(packages, "package.json")).resolve;
  const load = (name: string) => import(pathToFileURL(resolve(name)).href);
  const { createInstrumenter } = await load("@stryker-mutator/instrumenter");
  const { createInjector } = await load("typed-inject");
  const quiet = () => undefined;
  const logger = { debug: quiet, info: quiet, warn: quiet, error: quiet, isDebugEnabled: () => false };
  return createInjector().provideValue("logger", logger).injectFunction(createInstrumenter);
}

import type { CompiledValidator } from "./compile.ts";

/**
 * The validators by name, compiled at build time: compiling three documents' schemas at each start took 30 ms and 8
 * MiB. The build replaces this file by a generated one; a program run from its sources has none.
 */
export const compiledValidators: Readonly<Record<string, CompiledValidator>> | undefined = undefined;

import type { CompiledValidator } from "./compile.ts";

/**
 * The validators by name, compiled at build time: compiling three documents' schemas at each start took 30 ms and
 * 8 MiB. The build puts a generated file in the place of this one; from the sources there are none.
 */
export const compiledValidators: Readonly<Record<string, CompiledValidator>> | undefined = undefined;

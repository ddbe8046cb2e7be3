import type { _, Ajv2020, CodeKeywordDefinition } from "ajv/dist/2020.js";

/**
 * Has a compiler of all errors leave the entries of a list that is longer than its `maxItems`, which is error enough. ajv
 * judges them too: 64 KiB of entries took 0.8 s to compare with each other, and the errors of 1 MiB of them 150 MiB. `code`
 * is ajv's tag of code (`_`), of the module that the compiler is from.
 */
export function leaveLongLists(compiler: Ajv2020, code: typeof _): Ajv2020 {
  for (const keyword of ["items", "uniqueItems"]) {
    const definition = compiler.getKeyword(keyword) as CodeKeywordDefinition;
    compiler.removeKeyword(keyword);
    compiler.addKeyword({
      ...definition,
      code: (context, ruleType) => {
        const { maxItems } = context.parentSchema;
        const judge = (): void => definition.code(context, ruleType);
        if (typeof maxItems !== "number") judge();
        else context.gen.if(code`${context.data}.length <= ${maxItems}`, judge);
      },
    });
  }
  return compiler;
}

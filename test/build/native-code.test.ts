import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { describe, it } from "node:test";

const built = join(import.meta.dirname, "../../dist");
const readelf = (option: string, name: string): string =>
  execFileSync("readelf", ["--wide", option, join(built, name)], { encoding: "utf8" });

describe("what is compiled from C", () => {
  for (const name of ["clock-steering.node", "steward-helper", "steward-logs"]) {
    it(`has what the compiler can do against faults of memory: ${name}`, () => {
      assert.match(readelf("--dyn-syms", name), /__stack_chk_fail/);
      assert.match(readelf("--dynamic", name), /Flags: NOW/);
      const segments = readelf("--program-headers", name);
      assert.match(segments, /Elf file type is DYN/, "at another address each time");
      assert.match(segments, /GNU_RELRO/);
      assert.match(segments, /GNU_STACK.* RW /, "no code on the stack");
      assert.doesNotMatch(segments, / RWE /);
    });
  }
});

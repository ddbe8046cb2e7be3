/** make install, make uninstall: main.ts [--remove] [--destination DIR] [--prefix DIR] [--runtime FILE]. */
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { install, type Place, uninstall } from "./files.ts";

const { values } = parseArgs({
  options: {
    remove: { type: "boolean", default: false },
    destination: { type: "string", default: "" },
    prefix: { type: "string", default: "/usr" },
    runtime: { type: "string", default: "" },
  },
});

try {
  if (!values.prefix.startsWith("/")) throw new Error(`PREFIX is an absolute path, not ${values.prefix}`);
  const place: Place = { destination: resolve(values.destination || "/"), prefix: values.prefix };
  if (values.remove) uninstall(place);
  else await install(place, values.runtime === "" ? undefined : resolve(values.runtime));
} catch (error) {
  process.stderr.write(`make install: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}

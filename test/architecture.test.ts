import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import {
  goesByOwnTime,
  ownReading,
  ownTime,
  readsByItself,
  type SourceFile,
  violations,
  withoutCommentsAndStrings,
} from "./architecture.ts";

const top = join(import.meta.dirname, "..");
const read = (path: string): string => readFileSync(join(top, "src", path), "utf8");

function filesOf(house: string): SourceFile[] {
  return readdirSync(join(top, house), { recursive: true, encoding: "utf8" })
    .filter((path) => /\.tsx?$/.test(path))
    .map((path) => ({ path, text: readFileSync(join(top, house, path), "utf8") }));
}

const from = (path: string, names = "{ a }"): string => `import ${names} from "${path}";`;

describe("the house", () => {
  it("stands: floors, rooms, sizes and names are as docs/ARCHITECTURE.md says", () => {
    const files = filesOf("src");
    assert.ok(files.length > 50, `only ${files.length} files were looked at`);
    assert.deepEqual(violations(files), []);
  });

  it("has no file that is named with a reason for its own time or reading, and needs neither", () => {
    const ownTimes = Object.keys(ownTime).filter(
      (path) => !goesByOwnTime(withoutCommentsAndStrings(read(path))),
    );
    const ownReads = Object.keys(ownReading).filter((path) => !readsByItself(read(path)));
    assert.deepEqual([...ownTimes, ...ownReads], []);
  });

  it("makes key pairs as PEM: Node 20 hangs where a KeyObject is exported as the job that made it is collected", () => {
    const calls = ["src", "test", "lab"]
      .flatMap(filesOf)
      .flatMap(({ text }) => text.match(/\bgenerateKeyPair(Sync)?\([^;]*;/g) ?? []);
    assert.ok(calls.length > 1, "no call was found");
    assert.deepEqual(
      calls.filter((call) => !call.includes("privateKeyEncoding")),
      [],
    );
  });

  for (const [path, text, expected] of [
    ["system/status.ts", from("../accounts/people.ts"), /higher floor/],
    ["store/document-kind.ts", 'await import("../http/call.ts");', /higher floor/],
    ["system/status.ts", from("../figures/history.ts"), /its own floor/],
    ["cli/user.ts", from("../http/call.ts"), /its own floor/],
    ["accounts/secret.ts", from("node:fs/promises", "{ readFile }"), /regular-file/],
    ["journal/lines.ts", from("node:fs", "{ constants, openSync as begin }"), /regular-file/],
    ["programs/agent/wiring.ts", from("../../publishing/publish.ts"), /not on a device/],
    ["publisher/watch.ts", from("../cli/client/client.ts"), /not the publisher's/],
    ["accounts/sessions.ts", from("../host/linux/uptime.ts"), /joining files/],
    ["publishing/publish.ts", from("../host/linux/transfers/transfers.ts"), /joining files/],
    ["system/facts.ts", from("../host/ports.ts"), /more than types/],
    ["contract/users.ts", from("node:path", "{ join }"), /pure data/],
    ["console/main.ts", from("../users/account.ts"), /contract only/],
    ["console/users/users-page.tsx", from("../../users/accounts.ts"), /contract only/],
    ["console/users/user-form.tsx", from("../../contract/users.ts"), /its schemas/],
    ["http/static-files.ts", from("../console/app.tsx"), /no room of the house/],
    ["caching/cache.ts", "", /no room of the house/],
    ["agent.ts", "", /^agent.ts: lies in "agent.ts", which is no room of the house$/],
    ["console/app.tsx", "export default App;", /default export/],
    ["accounts/users.ts", "export default 1;", /default export/],
    ["console/ui/DataTable.tsx", "", /kebab-case/],
    ["accounts/users.ts", "\n".repeat(401), /401 lines/],
    ["console/users/users-page.tsx", "\n".repeat(401), /401 lines/],
    ["accounts/users.ts", "const a = (b: any) => b;", /uses any/],
    ["accounts/users.ts", "const a = b as any;", /uses any/],
    ["accounts/utils/text.ts", "", /named after nothing/],
    ["accounts/helpers.ts", "", /named after nothing/],
    ["accounts/users.ts", "const a = process.env.HOME;", /touches process/],
    ["accounts/users.ts", from("node:process", "{ exit }"), /touches process/],
    ["accounts/users.ts", "setTimeout(() => a, 1_000).unref();", /time, not by/],
    ["updates/a.ts", "const a = setInterval(b, 5);", /time, not by/],
    ["journal/a.ts", from("node:timers/promises", "{ setTimeout as delay }"), /time, not by/],
    ["system/settings/rules.ts", "const a = Date.now();", /time, not by/],
    ["store/documents/a.ts", "const a = new Date().toISOString();", /time, not by/],
    ["http/a.ts", "const a = performance.now();", /time, not by/],
    ["http/a.ts", "const a = monotonicMilliseconds();", /time, not by/],
    ["accounts/index.ts", 'export * from "./accounts.ts";', /hands on/],
    ["accounts/users.ts", "enum Role { A }", /enum/],
  ] as const)
    it(`does not stand with ${text.trim() === "" ? `${text.length} lines` : text} in ${path}`, () => {
      const found = violations([{ path, text }]);
      assert.equal(found.length, 1, found.join("; "));
      assert.match(found[0] ?? "", expected);
    });

  it("does not stand with a folder of 21 files", () => {
    const files = Array.from({ length: 21 }, (_, index) => ({ path: `accounts/a-${index}.ts`, text: "" }));
    assert.deepEqual(violations(files), ["accounts: has 21 files, more than 20"]);
    assert.deepEqual(violations(files.slice(1)), []);
  });

  /** Files of these paths, each of which imports the next; the last imports the first. */
  const circle = (...paths: string[]): SourceFile[] =>
    paths.map((path, index) => ({
      path,
      text: from(relativeTo(path, paths[(index + 1) % paths.length] ?? "")),
    }));
  const relativeTo = (path: string, target: string): string =>
    `${"../".repeat(path.split("/").length - 1)}${target}`;

  it("does not stand with a circle of imports, of values or of types", () => {
    const files = circle("accounts/a.ts", "accounts/b.ts", "accounts/c.ts");
    const expected = "accounts/a.ts -> accounts/b.ts -> accounts/c.ts -> accounts/a.ts: imports in a circle";
    const ofTypes = files.map(({ path, text }) => ({ path, text: text.replace("import", "import type") }));
    for (const made of [files, ofTypes]) assert.deepEqual(violations(made), [expected]);
    assert.deepEqual(violations(files.slice(1)), []);
  });

  for (const [files, trail, last] of [
    [
      {
        "accounts/names/a.ts": from("../words/b.ts"),
        "accounts/names/c.ts": "",
        "accounts/words/b.ts": from("../names/c.ts", "type { c }"),
      },
      "accounts/names -> accounts/words -> accounts/names",
      "accounts/words/b.ts imports accounts/names/c.ts",
    ],
    [
      {
        "console/parts/a.tsx": from("../app.tsx"),
        "console/parts/deep/c.ts": "",
        "console/app.tsx": 'const c = await import("./parts/deep/c.ts");',
      },
      "console/parts -> console/app.tsx -> console/parts",
      "console/app.tsx imports console/parts/deep/c.ts",
    ],
    [
      {
        "accounts/a/a.ts": from("../b/b.ts"),
        "accounts/b/b.ts": from("../c/d.ts"),
        "accounts/c/c.ts": from("../a/e.ts"),
        "accounts/c/d.ts": "",
        "accounts/a/e.ts": "",
      },
      "accounts/a -> accounts/b -> accounts/c -> accounts/a",
      "accounts/c/c.ts imports accounts/a/e.ts",
    ],
  ] as const)
    it(`does not stand with the circle ${trail}, though its files make none`, () => {
      const all = Object.entries(files).map(([path, text]) => ({ path, text }));
      const expected = `${trail}: folders of a room import in a circle, the last as ${last}`;
      assert.deepEqual(violations(all), [expected]);
    });

  it("lets folders import a file beside them, one that joins them import both, and pages have types and small values", () => {
    const files = {
      "accounts/users.ts": from("./a/a.ts") + from("./b/b.ts"),
      "accounts/a/a.ts": from("../words.ts") + from("./d.ts"),
      "accounts/a/d.ts": "",
      "accounts/b/b.ts": from("../words.ts") + from("../a/a.ts"),
      "accounts/words.ts": '// process.env and any\nconst a = "process.exit as any";\n/* export default */\n',
      "console/users/users-page.tsx":
        from("../../contract/types.ts", "type { User }") + from("../../contract/shapes.ts", "{ roleNames }"),
    };
    assert.deepEqual(violations(Object.entries(files).map(([path, text]) => ({ path, text }))), []);
  });
});

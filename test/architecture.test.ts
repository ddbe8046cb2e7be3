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

const source = join(import.meta.dirname, "../src");

function filesOfTheHouse(): SourceFile[] {
  return readdirSync(source, { recursive: true, encoding: "utf8" })
    .filter((path) => /\.tsx?$/.test(path))
    .map((path) => ({ path, text: readFileSync(join(source, path), "utf8") }));
}

describe("the house", () => {
  it("stands: floors, rooms, sizes and names are as docs/ARCHITECTURE.md says", () => {
    const files = filesOfTheHouse();
    assert.ok(files.length > 50, `only ${files.length} files were looked at`);
    assert.deepEqual(violations(files), []);
  });

  it("goes by the time of its host but for the files that are named with a reason", () => {
    const idle = Object.keys(ownTime).filter(
      (path) => !goesByOwnTime(withoutCommentsAndStrings(readFileSync(join(source, path), "utf8"))),
    );
    assert.deepEqual(idle, [], "named without need");
  });

  it("reads every file below the state by one reader, but for the files that are named with a reason", () => {
    const idle = Object.keys(ownReading).filter(
      (path) => !readsByItself(readFileSync(join(source, path), "utf8")),
    );
    assert.deepEqual(idle, [], "named without need");
  });

  it("makes key pairs as PEM: Node 20 hangs where a KeyObject is exported as the job that made it is collected", () => {
    const tests = ["test", "lab"].flatMap((name) => {
      const directory = join(import.meta.dirname, "..", name);
      return readdirSync(directory, { recursive: true, encoding: "utf8" })
        .filter((path) => path.endsWith(".ts"))
        .map((path) => readFileSync(join(directory, path), "utf8"));
    });
    const calls = [...filesOfTheHouse().map(({ text }) => text), ...tests].flatMap(
      (text) => text.match(/\bgenerateKeyPair(Sync)?\([^;]*;/g) ?? [],
    );
    assert.ok(calls.length > 1, "no call was found");
    assert.deepEqual(
      calls.filter((call) => !call.includes("privateKeyEncoding")),
      [],
    );
  });

  const seeded: [string, string, string, RegExp][] = [
    [
      "a room that imports a higher floor",
      "system/status.ts",
      'import { a } from "../accounts/people.ts";',
      /higher floor/,
    ],
    [
      "two rooms of one floor that meet",
      "system/status.ts",
      'import { a } from "../figures/history.ts";',
      /its own floor/,
    ],
    [
      "a room that reads a file by Node's calls",
      "accounts/secret.ts",
      'import { readFile } from "node:fs/promises";',
      /regular-file/,
    ],
    [
      "a room that opens one under another name",
      "journal/lines.ts",
      'import { constants, openSync as begin } from "node:fs";',
      /regular-file/,
    ],
    ["http and cli that meet", "cli/user.ts", 'import { a } from "../http/call.ts";', /its own floor/],
    [
      "a room of the device that publishes",
      "programs/agent/wiring.ts",
      'import { a } from "../../publishing/publish.ts";',
      /not on a device/,
    ],
    [
      "a publisher that reaches into the device",
      "publisher/watch.ts",
      'import { a } from "../cli/client/client.ts";',
      /not the publisher's/,
    ],
    [
      "a dynamic import upwards",
      "store/document-kind.ts",
      'await import("../http/call.ts");',
      /higher floor/,
    ],
    [
      "a room that knows Linux",
      "accounts/sessions.ts",
      'import { a } from "../host/linux/uptime.ts";',
      /joining files/,
    ],
    [
      "a publisher's room that knows Linux",
      "publishing/publish.ts",
      'import { a } from "../host/linux/transfers/transfers.ts";',
      /joining files/,
    ],
    [
      "a port taken for more than types",
      "system/facts.ts",
      'import { a } from "../host/ports.ts";',
      /more than types/,
    ],
    ["a contract that imports node", "contract/users.ts", 'import { join } from "node:path";', /pure data/],
    [
      "a page that reaches behind the contract",
      "console/main.ts",
      'import { a } from "../users/account.ts";',
      /contract only/,
    ],
    [
      "a component that reaches behind the contract",
      "console/users/users-page.tsx",
      'import { accounts } from "../../users/accounts.ts";',
      /contract only/,
    ],
    [
      "a page that loads schemas",
      "console/users/user-form.tsx",
      'import { userCreation } from "../../contract/users.ts";',
      /its schemas/,
    ],
    [
      "a room behind the contract that reaches into the page",
      "http/static-files.ts",
      'import { App } from "../console/app.tsx";',
      /no room of the house/,
    ],
    ["a default export of a component", "console/app.tsx", "export default App;", /default export/],
    ["a component that is not named in kebab-case", "console/ui/DataTable.tsx", "", /kebab-case/],
    ["a file of 401 lines", "accounts/users.ts", "\n".repeat(401), /401 lines/],
    ["a component of 401 lines", "console/users/users-page.tsx", "\n".repeat(401), /401 lines/],
    ["any", "accounts/users.ts", "const a = (b: any) => b;", /uses any/],
    ["any behind as", "accounts/users.ts", "const a = b as any;", /uses any/],
    ["a folder of utilities", "accounts/utils/text.ts", "", /named after nothing/],
    ["a file of helpers", "accounts/helpers.ts", "", /named after nothing/],
    ["process.env outside the mains", "accounts/users.ts", "const a = process.env.HOME;", /touches process/],
    [
      "process taken by import",
      "accounts/users.ts",
      'import { exit } from "node:process";',
      /touches process/,
    ],
    ["a timer of its own", "accounts/users.ts", "setTimeout(() => a, 1_000).unref();", /time, not by/],
    ["an interval of its own", "updates/a.ts", "const a = setInterval(b, 5);", /time, not by/],
    [
      "a pause of its own",
      "journal/a.ts",
      'import { setTimeout as delay } from "node:timers/promises";',
      /time, not by/,
    ],
    ["a clock of its own", "system/settings/rules.ts", "const a = Date.now();", /time, not by/],
    ["a date of its own", "store/documents/a.ts", "const a = new Date().toISOString();", /time, not by/],
    ["a stopwatch of its own", "http/a.ts", "const a = performance.now();", /time, not by/],
    ["the process's own clock", "http/a.ts", "const a = monotonicMilliseconds();", /time, not by/],
    ["a barrel", "accounts/index.ts", 'export * from "./accounts.ts";', /hands on/],
    ["a default export", "accounts/users.ts", "export default 1;", /default export/],
    ["an enum", "accounts/users.ts", "enum Role { A }", /enum/],
    ["a room that is not in docs/ARCHITECTURE.md", "caching/cache.ts", "", /no room of the house/],
  ];
  for (const [name, path, text, expected] of seeded) {
    it(`does not stand with ${name}`, () => {
      const found = violations([{ path, text }]);
      assert.equal(found.length, 1, found.join("; "));
      assert.match(found[0] ?? "", expected);
    });
  }

  it("does not stand with a file in src itself", () => {
    const found = violations([{ path: "agent.ts", text: "" }]);
    assert.deepEqual(found, ['agent.ts: lies in "agent.ts", which is no room of the house']);
  });

  it("does not stand with a folder of 21 files", () => {
    const files = Array.from({ length: 21 }, (_, index) => ({
      path: `accounts/account-${index}.ts`,
      text: "",
    }));
    assert.deepEqual(violations(files), ["accounts: has 21 files, more than 20"]);
    assert.deepEqual(violations(files.slice(1)), []);
  });

  for (const [name, word] of [
    ["values", "import"],
    ["types", "import type"],
  ] as const)
    it(`does not stand with a circle of imports, of ${name}`, () => {
      const files = [
        { path: "accounts/a.ts", text: 'import { b } from "./b.ts";' },
        { path: "accounts/b.ts", text: `${word} { c } from "./c.ts";` },
        { path: "accounts/c.ts", text: 'import { a } from "./a.ts";' },
      ];
      assert.deepEqual(violations(files), [
        "accounts/a.ts -> accounts/b.ts -> accounts/c.ts -> accounts/a.ts: imports in a circle",
      ]);
      assert.deepEqual(violations(files.slice(1)), []);
    });

  const rooms: [string, [string, string][], string][] = [
    [
      "two folders of a room that import each other",
      [
        ["accounts/names/a.ts", 'import { b } from "../words/b.ts";'],
        ["accounts/names/c.ts", ""],
        ["accounts/words/b.ts", 'import type { c } from "../names/c.ts";'],
      ],
      "accounts/names -> accounts/words -> accounts/names: folders of a room import in a circle, the last as accounts/words/b.ts imports accounts/names/c.ts",
    ],
    [
      "a folder that imports a file beside it, which imports another file of the folder",
      [
        ["console/parts/a.tsx", 'import { b } from "../app.tsx";'],
        ["console/parts/deep/c.ts", ""],
        ["console/app.tsx", 'const c = await import("./parts/deep/c.ts");'],
      ],
      "console/parts -> console/app.tsx -> console/parts: folders of a room import in a circle, the last as console/app.tsx imports console/parts/deep/c.ts",
    ],
    [
      "three folders of a room in a circle",
      [
        ["accounts/a/a.ts", 'import { b } from "../b/b.ts";'],
        ["accounts/b/b.ts", 'import { d } from "../c/d.ts";'],
        ["accounts/b/e.ts", ""],
        ["accounts/c/c.ts", 'import { e } from "../a/e.ts";'],
        ["accounts/c/d.ts", ""],
        ["accounts/a/e.ts", ""],
      ],
      "accounts/a -> accounts/b -> accounts/c -> accounts/a: folders of a room import in a circle, the last as accounts/c/c.ts imports accounts/a/e.ts",
    ],
  ];
  for (const [name, files, expected] of rooms)
    it(`does not stand with ${name}`, () => {
      const all = files.map(([path, text]) => ({ path, text }));
      assert.deepEqual(violations(all), [expected]);
    });

  it("lets folders of a room import a file beside them, and one that joins them import both", () => {
    const files = [
      { path: "accounts/users.ts", text: 'import { a } from "./a/a.ts";\nimport { b } from "./b/b.ts";' },
      { path: "accounts/a/a.ts", text: 'import { c } from "../words.ts";\nimport { d } from "./d.ts";' },
      { path: "accounts/a/d.ts", text: "" },
      { path: "accounts/b/b.ts", text: 'import { c } from "../words.ts";\nimport { a } from "../a/a.ts";' },
      { path: "accounts/words.ts", text: "" },
    ];
    assert.deepEqual(violations(files), []);
  });

  it("lets a page have the contract's types, and its small values", () => {
    const text =
      'import type { User } from "../../contract/types.ts";\nimport { roleNames } from "../../contract/shapes.ts";\n';
    assert.deepEqual(violations([{ path: "console/users/users-page.tsx", text }]), []);
  });

  it("lets a comment and a string speak of what code may not do", () => {
    const text = '// process.env and any\nconst a = "process.exit as any";\n/* export default */\n';
    assert.deepEqual(violations([{ path: "accounts/users.ts", text }]), []);
  });
});

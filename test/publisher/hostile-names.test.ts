import assert from "node:assert/strict";
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { runSteward, temporaryDirectory } from "../../lab/command-line/run-steward.ts";
import { benchIn, release } from "../../lab/publisher/bench.ts";
import { runPublisher } from "../../lab/publisher/run-publisher.ts";

/** Clears a screen, rings, turns text around, and begins a line that looks like an answer of the program. */
const hostile = "s\u001b[2J\u0007\u009b\u202e\nsteward: Forged";

/** Nothing that a terminal acts on, no line that a name began, and no line end that was meant and is shown as \x0a. */
function assertSafe(text: string, where: string): void {
  assert.doesNotMatch(text.replaceAll("\n", ""), /[\p{Cc}\u202e]/u, where);
  assert.doesNotMatch(text, /^steward: Forged/m, where);
  assert.doesNotMatch(text.replaceAll("\\x0asteward: Forged", ""), /\\x0a/, where);
}

describe("steward-publisher, with names that would drive a terminal", () => {
  it("says them on one line, escaped, in every message", async (test) => {
    const directory = join(temporaryDirectory(test), hostile);
    mkdirSync(directory);
    const { site, payload } = benchIn(directory);
    const away = join(directory, "away.pem");
    const lines: string[][] = [
      ["init", site],
      ["init", site],
      ["add", site, payload, ...release],
      ["sign", site, "rules", "--out", join(directory, "bytes")],
      ["sign", site, "rules", "--out", payload],
      ["publish", site],
      ["publish", site],
      ["publish", site, "--margin", "400d"],
      ["publish", site, "--margin", hostile],
      ["publish", site, "--key", away],
      ["renew", site, "root", "--new-key", "timestamp"],
      ["renew", site, "root", "--threshold", hostile],
      ["discard", site, "--dry-run"],
      ["discard", site],
      ["discard", site, "--yes"],
      ["discard", site],
      ["inspect", site],
      ["inspect", join(site, "nowhere")],
      ["add", site, payload, ...release, "--notes", hostile],
      ["add", site, payload, ...release, "--product", hostile],
    ];
    for (const words of lines) {
      const { stdout, stderr } = await runPublisher(words);
      assertSafe(stdout + stderr, words.slice(0, 1).concat(words.slice(2)).join(" "));
    }
    renameSync(join(site, "keys", "timestamp.pem"), away);
    const { code, stderr } = await runPublisher(["renew", site]);
    assert.equal(code, 5);
    assertSafe(stderr, "a renewal that waits for a signature");
  });

  it("prints no draft that contains control characters, and writes it to a file", async (test) => {
    const { directory, site, good, bad } = benchIn(temporaryDirectory(test));
    await good("init", site);
    const path = join(site, "draft", "rules.json");
    const draft = JSON.parse(readFileSync(path, "utf8"));
    draft.signed.targets["stable/rules/\u001b[2Jx"] = { length: 1, hashes: { sha512: "ab" } };
    writeFileSync(path, JSON.stringify(draft));
    const { stdout, stderr } = await bad(6, "sign", site, "rules", "--print");
    assert.equal(stdout, "");
    assert.match(stderr, /contains control characters.*--out FILE/);
    await good("sign", site, "rules", "--out", join(directory, "bytes"));
  });
});

describe("steward-publisher --help", () => {
  for (const words of [[], ["publish"], ["inspect"]]) {
    it(`lists no option of the agent for "${words.join(" ")}", which asks none`, async () => {
      const { stdout } = await runPublisher([...words, "--help"]);
      assert.match(stdout, /^ +-o, --output/m);
      assert.doesNotMatch(stdout, /--(socket|state|url|insecure-http|token-file|cacert)\b/);
    });
  }

  it("leaves them in the help of steward, of commands that ask the agent and of the whole program", async () => {
    for (const words of [["user"], ["update", "status"], []])
      assert.match((await runSteward([...words, "--help"])).stdout, /^ +--socket PATH/m);
  });
});

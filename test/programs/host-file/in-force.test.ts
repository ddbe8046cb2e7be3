import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { runSteward, startAgentInProcess } from "../../../lab/agents/agent-in-process.ts";
import { asRoot } from "../../../lab/host/host-file-of-root.ts";
import { hostFile, ownDirectory, write } from "../../../lab/host/judged-host-file.ts";
import type { Need } from "../../../src/contract/types.ts";
import { readDecisionsInForce } from "../../../src/programs/host-file/host-file.ts";
import { keepHostFile, restoreHostFile } from "../../../src/programs/host-file/kept.ts";

const good = { names: ["edge-7.example.net"], product: "pump-7" };
const missingComma = '{\n  "names": ["edge-7.example.net"]\n  "product": "pump-7"\n}\n';

/** A host file, of which `accepted` is kept. */
async function hostFileOf(test: TestContext, { accepted, now }: { accepted?: object; now: unknown }) {
  const path = join(ownDirectory(test), "steward.json");
  if (accepted !== undefined) await keepHostFile(write(path, accepted), 0);
  return write(path, now);
}

/** An agent that goes by the file, and commands that work on both. */
async function deviceWith(test: TestContext, path: string) {
  const agent = await startAgentInProcess({ arguments: ["--host-file", path] });
  test.after(() => agent.dispose());
  const places = { STEWARD_SOCKET: agent.socket, STEWARD_STATE: agent.stateDirectory };
  const environment = { STEWARD_HOST_FILE: path, ...places };
  const steward = (...words: string[]) => runSteward(words, { environment });
  const needs = async (): Promise<Need[]> => JSON.parse((await steward("-o", "json", "status")).stdout).needs;
  const statusOf = async (host: string) =>
    (await agent.call("GET", "/api/version", { headers: { host } })).status;
  return { agent, steward, needs, statusOf };
}

const reasonOf = (need: Need | undefined) => (need?.facts as { reason?: string } | undefined)?.reason;

describe("a host file that cannot be used", asRoot, () => {
  it("with a missing comma: the agent starts with the one that was accepted, says so first, and the line it names puts that back", async (test) => {
    const path = await hostFileOf(test, { accepted: good, now: missingComma });
    const { agent, steward, needs, statusOf } = await deviceWith(test, path);
    assert.equal(await statusOf("edge-7.example.net"), 200);
    const [first] = await needs();
    const line = "steward host-file restore";
    const found = [first?.code, first?.level, reasonOf(first), first?.remedy?.line];
    assert.deepEqual(found, ["host_file", "failing", "host_file_refused", line]);
    assert.match(first?.detail ?? "", /is not JSON at line 3, column 3.*last accepted/);
    const { token } = await agent.signedInAdmin();
    const { json } = await agent.call("GET", "/api/events?type=host_file.refused", { token });
    assert.equal(json.items.length, 1);
    for (const code of [0, 5]) {
      const { stderr, ...restored } = await steward(...line.split(" ").slice(1));
      assert.equal(restored.code, code, stderr);
      assert.deepEqual(JSON.parse(readFileSync(path, "utf8")), good);
      assert.equal(readFileSync(`${path}.refused`, "utf8"), missingComma);
    }
    const left = (await needs()).filter(({ code }) => code === "host_file");
    assert.deepEqual(left, []);
  });

  it("where none is kept: the agent serves this device only, and updates nothing", async (test) => {
    const path = await hostFileOf(test, { now: missingComma });
    const { needs, statusOf } = await deviceWith(test, path);
    assert.deepEqual([await statusOf("edge-7.example.net"), await statusOf("localhost")], [421, 200]);
    const [first] = await needs();
    assert.deepEqual([first?.level, reasonOf(first)], ["failing", "host_file_without_copy"]);
    const { decisions } = await readDecisionsInForce(path, 0);
    assert.match(decisions.forRooms.update.unusable ?? "", /host file cannot be used/);
  });

  it("of another release: all that is known is in force, and the members that are not are named", async (test) => {
    const path = await hostFileOf(test, { now: { ...good, https: { port: 8443, quic: true } } });
    const { needs, statusOf } = await deviceWith(test, path);
    assert.equal(await statusOf("edge-7.example.net"), 200);
    const need = (await needs()).find(({ code }) => code === "host_file");
    assert.deepEqual([need?.level, reasonOf(need)], ["attention", "host_file_members_unknown"]);
    assert.match(need?.detail ?? "", /have no effect, .*: \/https\/quic\. The rest is in force/);
  });

  it("is a need from the reload on that refused it, until it is mended", async (test) => {
    const path = await hostFileOf(test, { now: good });
    const { needs, statusOf, steward } = await deviceWith(test, path);
    const ofHostFile = async () => (await needs()).filter(({ code }) => code === "host_file").map(reasonOf);
    assert.deepEqual(await ofHostFile(), []);
    writeFileSync(path, missingComma);
    assert.equal((await steward("tls", "reload")).code, 6);
    assert.deepEqual(await ofHostFile(), ["host_file_refused"]);
    assert.equal(await statusOf("edge-7.example.net"), 200);
    writeFileSync(path, JSON.stringify({ ...good, names: ["edge-8.example.net"] }));
    assert.equal((await steward("tls", "reload")).code, 0);
    assert.deepEqual(await ofHostFile(), []);
    assert.equal(await statusOf("edge-8.example.net"), 200);
  });
});

describe("the kept copy of the host file", asRoot, () => {
  it("is put in the place of no file where it cannot be written: without one nothing would be accepted any more", async (test) => {
    // Beside a name of this length there can be others, but no longer one for the next content.
    const path = write(join(ownDirectory(test), "f".repeat(240)), missingComma);
    write(`${path}.accepted`, good);
    await assert.rejects(restoreHostFile(path, 0), { code: /^storage_/ });
    assert.equal(readFileSync(path, "utf8"), missingComma);
    await assert.rejects(keepHostFile(path, 0), { code: "validation_failed" });
    const { decisions } = await readDecisionsInForce(path, 0);
    assert.deepEqual(decisions.names, good.names);
  });

  it("does not count where the agent's user could have written it", async (test) => {
    const path = await hostFileOf(test, { accepted: good, now: missingComma });
    chownSync(`${path}.accepted`, 65_534, 0);
    const { decisions, trouble } = await readDecisionsInForce(path, undefined);
    assert.deepEqual([decisions.names, trouble?.code], [[], "host_file_without_copy"]);
  });

  it("keeps the maker's name and address where its mark is gone, and says so", async (test) => {
    const directory = ownDirectory(test);
    const mark = write(join(directory, "mark.svg"), '<svg xmlns="http://www.w3.org/2000/svg"/>');
    const maker = { name: "Pumpworks", mark, support: "+49 40 1234" };
    const path = write(join(directory, "steward.json"), { ...good, maker });
    await keepHostFile(path, 0);
    rmSync(mark);
    const { agent, needs, statusOf } = await deviceWith(test, path);
    assert.equal(await statusOf("edge-7.example.net"), 200);
    const { json } = await agent.call("GET", "/api/console");
    assert.deepEqual(json.maker, { ...maker, mark: false, picture: false });
    assert.equal((await fetch(`${agent.url}/maker-mark`)).status, 404);
    const [first] = await needs();
    assert.equal(reasonOf(first), "host_file_refused");
    assert.match(first?.detail ?? "", /\/maker\/mark names .*mark\.svg, which does not exist/);
    // The kept one has the same fault.
    assert.match(first?.remedy?.line ?? "", /^editor .*; systemctl restart steward\.service$/);
  });

  it("loses only the parts whose files cannot be used", async (test) => {
    const directory = ownDirectory(test);
    const program = write(join(directory, "check"), "#!/bin/sh\n");
    chmodSync(program, 0o755);
    const update = { rules: { unit: "pump.service", self_test: [program] } };
    const path = write(join(directory, "steward.json"), { ...good, update });
    await keepHostFile(path, 0);
    rmSync(program);
    const { decisions, trouble } = await readDecisionsInForce(path, undefined);
    assert.deepEqual([decisions.names, trouble?.code], [good.names, "host_file_refused"]);
    const unusable = decisions.forRooms.update.unusable ?? "";
    assert.match(unusable, /\/update\/rules\/self_test\/0 names .*does not exist/);
  });

  it("gives way to a file of which only a logo cannot be used: the rest of that is in force", async (test) => {
    const directory = ownDirectory(test);
    const mark = join(directory, "mark.svg");
    const picture = write(join(directory, "product.svg"), '<svg xmlns="http://www.w3.org/2000/svg"/>');
    for (const accepted of [undefined, { names: ["old.example.net"] }]) {
      const path = join(directory, "steward.json");
      if (accepted !== undefined) await keepHostFile(write(path, accepted), 0);
      write(path, { ...good, https: { enabled: true }, maker: { name: "Pumpworks", mark, picture } });
      const { decisions, trouble } = await readDecisionsInForce(path, 0);
      const { maker } = decisions.forRooms;
      assert.deepEqual([decisions.names, decisions.https.enabled], [good.names, true]);
      assert.deepEqual([maker?.mark, maker?.picture], [null, picture]);
      const restore = accepted && "steward host-file restore";
      const typed = restore ?? `editor ${path}; systemctl restart steward.service`;
      assert.deepEqual([trouble?.code, trouble?.remedy?.line], ["host_file_refused", typed]);
    }
  });

  for (const [what, put] of Object.entries<(path: string) => unknown>({
    "a link to nothing": (path) => symlinkSync("/data/steward.json", path),
    "a directory": (path) => mkdirSync(path),
    "a pipe": (path) => execFileSync("mkfifo", [path]),
    "a link to a device": (path) => symlinkSync("/dev/null", path),
  }))
    it(`stays, and is put back, where the host file is ${what}`, async (test) => {
      const path = await hostFileOf(test, { accepted: good, now: good });
      rmSync(path);
      put(path);
      await assert.rejects(keepHostFile(path, 0), { code: "validation_failed" });
      const { decisions, trouble } = await readDecisionsInForce(path, 0);
      assert.deepEqual([decisions.names, trouble?.remedy?.line], [good.names, "steward host-file restore"]);
      assert.equal(await restoreHostFile(path, 0), `${path}.refused`);
      assert.deepEqual((await readDecisionsInForce(path, 0)).trouble, null);
    });

  it("has the mode and the text of the accepted one, and stays where the next is refused", async (test) => {
    const path = hostFile(test, good);
    chmodSync(path, 0o640);
    await keepHostFile(path, 0);
    const kept = `${path}.accepted`;
    assert.equal(statSync(kept).mode & 0o777, 0o640);
    write(path, missingComma);
    await assert.rejects(keepHostFile(path, 0), { code: "validation_failed" });
    assert.deepEqual(JSON.parse(readFileSync(kept, "utf8")), good);
    rmSync(path);
    await keepHostFile(path, 0);
    assert.equal(existsSync(kept), false, "without a host file nothing is decided");
  });
});

describe("steward host-file check", asRoot, () => {
  const nothing = /^(?![\s\S]*colour)/;
  const faulty = '{"names":["a b"],"https":{"port":0},"colour":"red"}';
  const unknown = /^\/colour +is not known/m;
  for (const [text, expected, ...lines] of [
    [faulty, 6, /^\/names\/0 +must be a host name/m, /^\/https\/port +must be at least 1/m, unknown],
    ['{"colour":"red"}', 10, unknown],
    [JSON.stringify(good), 0, nothing],
  ] as const)
    it(`ends with ${expected} for ${text}, and prints every fault with its place`, async (test) => {
      const path = write(join(ownDirectory(test), "draft.json"), text);
      const { code, stdout } = await runSteward(["host-file", "check", path]);
      assert.equal(code, expected, stdout);
      for (const line of lines) assert.match(stdout, line);
    });

  it("looks at the device's own with its owner", async (test) => {
    const path = hostFile(test, good);
    chownSync(path, 65_534, 0);
    const environment = { STEWARD_HOST_FILE: path };
    const { code, stdout } = await runSteward(["host-file", "check"], { environment });
    assert.deepEqual([code, /must belong to root/.test(stdout)], [6, true], stdout);
    assert.equal((await runSteward(["host-file", "check", "/nonexistent/steward.json"])).code, 3);
  });
});

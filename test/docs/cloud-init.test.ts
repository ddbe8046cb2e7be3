import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { runSteward, startAgentInProcess } from "../../lab/agents/agent-in-process.ts";
import { temporaryDirectory } from "../../lab/command-line/run-steward.ts";
import { blocksOf } from "./blocks.ts";
import { complaintAbout } from "./documented-command.ts";

const page = readFileSync(join(import.meta.dirname, "../../docs/fleet.md"), "utf8");
const [example] = blocksOf(page).filter(({ kind }) => kind === "yaml");
const text = example?.text ?? "";

/** Files by their paths, and the commands, as they are written there; YAML is asked below. */
const files = new Map(
  [...text.matchAll(/- path: (\S+)\n {4}permissions: "0600"\n {4}content: \|\n((?: {6}.*\n)+)/g)].map(
    ([, path = "", content = ""]) => [path, content.replaceAll(/^ {6}/gm, "")],
  ),
);
const commands = [...text.matchAll(/^ {2}- \[(.*)\]$/gm)].map(([, words = ""]) => words.split(", "));

describe("the example for cloud-init", () => {
  it("is YAML of just these files and commands", () => {
    const read = "import json, sys, yaml; print(json.dumps(yaml.safe_load(sys.stdin)))";
    const { status, stdout, stderr } = spawnSync("python3", ["-c", read], { input: text, encoding: "utf8" });
    assert.equal(status, 0, stderr);
    assert.match(text, /^#cloud-config\n/);
    assert.deepEqual(JSON.parse(stdout), {
      write_files: [...files].map(([path, content]) => ({ path, permissions: "0600", content })),
      runcmd: commands,
    });
  });

  it("has commands that there are", () => {
    const own = commands.filter(([program]) => program === "steward").map((words) => words.join(" "));
    assert.deepEqual(own, ["steward apply /root/fleet.json", "steward tls enable"]);
    for (const line of own) assert.equal(complaintAbout(line), null);
  });

  it("makes an administrator who can sign in, and a device as the file says", async (test) => {
    const place = temporaryDirectory(test);
    const password = "green tractor sings loudly";
    const { stdout } = await runSteward(["hash-password", "--password-stdin"], { input: `${password}\n` });
    const contentOf = (path: string) => (files.get(path) ?? "").replaceAll("HASH", stdout.trim());
    writeFileSync(join(place, "steward.admin"), contentOf("/etc/steward/first-admin.json"));
    const agent = await startAgentInProcess({ environment: { CREDENTIALS_DIRECTORY: place } });
    test.after(() => agent.dispose());
    writeFileSync(join(place, "fleet.json"), contentOf("/root/fleet.json"));
    const environment = { STEWARD_SOCKET: agent.socket, STEWARD_STATE: agent.stateDirectory };
    const applied = await runSteward(["apply", join(place, "fleet.json")], { environment });
    assert.equal(applied.code, 0, applied.stderr);
    const body = { username: "anna", password };
    assert.equal((await agent.call("POST", "/api/auth/login", { body })).status, 200);
    const { json } = await agent.call("GET", "/api/system", { local: true });
    assert.equal(json.device.location, "hall 2");
  });
});

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { join } from "node:path";
import { describe, it } from "node:test";
import { scratchDirectory } from "../../../lab/basics/scratch.ts";
import { until } from "../../../lab/basics/until.ts";
import { compiled } from "../../../lab/host/compiled.ts";
import { loadClockAddon } from "../../../src/host/linux/clock/clock-addon.ts";

const addon = loadClockAddon(join(import.meta.dirname, "../../../dist/clock-steering.node"));

/** Returns what a program of ours receives at the path after `send`. */
async function received(path: string, send: () => void): Promise<string> {
  const receiver = compiled("receive-datagram.c", scratchDirectory());
  const child = spawn(receiver, [path], { stdio: ["ignore", "pipe", "inherit"] });
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    output += text;
  });
  await until("the receiver is ready", () => output.startsWith("ready\n"));
  send();
  await until("the receiver has ended", () => child.exitCode !== null && child.stdout.readableEnded);
  return output.slice("ready\n".length);
}

describe("a notice to systemd", () => {
  it("arrives at a socket in the file system", async () => {
    const path = join(scratchDirectory(), "notify");
    const send = () => addon.notify(path, "READY=1\nSTATUS=läuft");
    assert.equal(await received(path, send), "READY=1\nSTATUS=läuft");
  });

  it("arrives at an abstract socket", async () => {
    const name = `@steward-test-${process.pid}`;
    assert.equal(await received(name, () => addon.notify(name, "WATCHDOG=1")), "WATCHDOG=1");
  });

  const failures: [string, string, string, string][] = [
    ["no socket listens", "/nowhere/notify", "READY=1", "ENOENT"],
    ["no socket listens at an abstract name", "@steward-test-nobody", "READY=1", "ECONNREFUSED"],
    ["the path is empty", "", "READY=1", "EINVAL"],
    ["the path is longer than a socket's may be", `/${"n".repeat(107)}`, "READY=1", "ENAMETOOLONG"],
    ["the text is longer than a kilobyte", "@steward-test-nobody", "x".repeat(1_100), "EMSGSIZE"],
  ];
  for (const [what, path, text, code] of failures)
    it(`fails with ${code} where ${what}`, () => assert.throws(() => addon.notify(path, text), { code }));
});

it("the addon's functions that only read refuse what is no place for their figures", () => {
  for (const given of [[], [1], ["text"], [new Float64Array(1)], [new Float32Array(6)], [[0, 0, 0, 0, 0, 0]]])
    for (const call of [addon.now, addon.read])
      assert.throws(() => Reflect.apply(call, addon, given), { code: "EINVAL" }, JSON.stringify(given));
});

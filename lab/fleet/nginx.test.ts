/** A repository behind nginx: conditional and range requests of devices, and its access log as `steward-publisher watch` reads it. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { addRelease } from "../../src/publishing/add.ts";
import { LogFile } from "../../src/publishing/rollout/log-file.ts";
import { Tally } from "../../src/publishing/rollout/tally.ts";
import { temporaryDirectory } from "../basics/ending.ts";
import { until } from "../basics/until.ts";
import { runPublisher } from "../publisher/run-publisher.ts";
import { add, keysOf, makePayload, makeSite, publishAll, rulesEntry, type Site } from "../publisher/site.ts";
import { cutOffDownload, openFleetDevice } from "./fleet-device.ts";
import { type NginxServer, requestsIn, startNginx } from "./nginx-server.ts";
import { rowsOf } from "./programs.ts";

const row = rowsOf("nginx");

async function served(test: TestContext): Promise<{ site: Site; nginx: NginxServer; root: Buffer }> {
  const site = await makeSite(test);
  await publishAll(site);
  const nginx = await startNginx(test, site.workspace.public);
  return { site, nginx, root: readFileSync(join(site.workspace.metadata, "1.root.json")) };
}

/** Rules of some bytes that nothing compresses. The length of the payload. */
async function publishLarge(site: Site): Promise<number> {
  const file = makePayload(site, "large.tar.gz", randomBytes(6_000_000).toString("base64"));
  await addRelease(site.workspace, { file, entry: rulesEntry(), keys: await keysOf(site.workspace) });
  await publishAll(site);
  return statSync(file).size;
}

async function deviceOf(test: TestContext, { url }: NginxServer, root: Buffer) {
  const directory = await temporaryDirectory(test);
  const isHealthy = (version: string): boolean => version !== "6.6.6";
  const device = await openFleetDevice({ url, root, directory, random: Math.random, isHealthy });
  test.after(() => device.room.stop());
  return { device, directory };
}

describe("a repository behind nginx", { timeout: 300_000 }, () => {
  it("answers a check without news in two requests without a body", async (test) => {
    const { nginx, root } = await served(test);
    const { device } = await deviceOf(test, nginx, root);
    await device.check();
    const first = requestsIn(nginx.accessLog).length;
    await device.check();
    const asked = requestsIn(nginx.accessLog).slice(first);
    assert.deepEqual(
      asked.map(({ path, status }) => [path, status]),
      [
        ["/metadata/2.root.json", 404],
        ["/metadata/timestamp.json", 304],
      ],
    );
    assert.equal(asked[1]?.bytes, 0);
    row(
      "a check without news",
      asked.map(({ path, status, bytes }) => `${path} ${status} (${bytes} bytes)`).join(", "),
    );
  });

  it("sends metadata that it compresses, and devices verify what comes out", async (test) => {
    const { site, nginx, root } = await served(test);
    const { device } = await deviceOf(test, nginx, root);
    for (let index = 0; index < 20; index += 1)
      await add(site, { version: `1.0.${index}`, notes: "x".repeat(200) });
    await publishAll(site);
    await device.check();
    await until("it knows the newest", () => device.staged.has("1.0.19") || device.begun.has("1.0.19"));
    const { size } = statSync(join(site.workspace.metadata, "2.rules.json"));
    const sent = requestsIn(nginx.accessLog).find(({ path }) => path === "/metadata/2.rules.json");
    assert.ok(sent !== undefined && sent.bytes < size / 2, `${sent?.bytes} of ${size} bytes`);
    row("metadata of 20 releases", `${size} bytes, ${sent.bytes} on the way`);
  });

  it("continues a download where it was cut off", async (test) => {
    const { site, nginx, root } = await served(test);
    const { device, directory } = await deviceOf(test, nginx, root);
    const lengthBytes = await publishLarge(site);
    cutOffDownload(device, directory, lengthBytes);
    await device.check();
    await until("it is here", () => device.staged.size === 1 || device.begun.size === 1);
    const [whole, part, ...others] = requestsIn(nginx.accessLog).filter(({ path }) =>
      path.startsWith("/targets/"),
    );
    assert.deepEqual([whole?.status, part?.status, others], [200, 206, []]);
    assert.ok(
      (part?.bytes ?? lengthBytes) < (lengthBytes * 2) / 3 + 1,
      `${part?.bytes} bytes of ${lengthBytes}`,
    );
    row("a download that was cut off", `${lengthBytes} bytes; the second request, 206, sent ${part?.bytes}`);
  });

  it("has its log read by steward-publisher watch, whatever clients write into it", async (test) => {
    const { site, nginx } = await served(test);
    await publishLarge(site);
    const ask = (report: string): void => {
      const words = [
        "-sS",
        "-o",
        join(site.scratch, "out"),
        "-H",
        `Steward-Report: ${report}`,
        "-A",
        'a "b" \\',
      ];
      execFileSync("curl", [...words, `${nginx.url}/metadata/timestamp.json`]);
    };
    const report = (state: string, device: number): string =>
      `steward/0.1.0;v=1, product/demo, rules/demo-rules/1.0.0;state=${state};wave=1.0;device=d${String(device).padStart(12, "0")}`;
    for (const device of [1, 2, 3]) ask(report("good", device));
    ask(report("failed", 4));
    for (const bad of [
      '" 200 1 "-"',
      `${report("failed", 5)}\u0001`,
      "x".repeat(4_000),
      "\u00ff\u00fe",
      "-",
      report("on fire", 6),
    ])
      ask(bad);
    await until("the log is written", () => requestsIn(nginx.accessLog).length >= 10);
    const watch = ["watch", nginx.accessLog, site.directory, "--once", "--halt-at", "2%"];
    const { code, stdout } = await runPublisher(watch);
    assert.equal(code, 0, "one device has stopped a roll-out");
    assert.match(stdout, /^rules demo-rules 1\.0\.0 +demo +stable +0 +0 +0 +3 +1 +0 +0 +25 %$/m);
    assert.match(stdout, /^10 lines, 1 without a report, 0 malformed, 3 unreadable reports, 2 of other/m);
    const halted = await runPublisher([...watch, "--min-devices", "1"]);
    assert.equal(halted.code, 10, halted.stderr);
    row("its log, with garbage", (/^10 lines.*$/m.exec(stdout)?.[0] ?? "").slice(0, 100));
  });

  it("rotates its log under the watch without a line lost or counted twice", async (test) => {
    const { nginx, site } = await served(test);
    const log = new LogFile(nginx.accessLog, { elapsedSeconds: () => performance.now() / 1_000 });
    test.after(() => log.close());
    const tally = new Tally({ countBy: "devices", silentAfterSeconds: 86_400, countsSilent: false });
    const ask = (count: number): void => {
      const url = `${nginx.url}/metadata/timestamp.json?[1-${count}]`;
      execFileSync("curl", ["-sS", "-o", join(site.scratch, "out"), url]);
    };
    const linesAre = (count: number): Promise<void> =>
      until(`${count} lines`, async () => {
        await log.read((line) => tally.addLine(line));
        return tally.log().lines === count;
      });
    ask(50);
    await linesAre(50);
    renameSync(nginx.accessLog, `${nginx.accessLog}.1`);
    ask(25);
    await linesAre(75);
    nginx.reopenLogs();
    await until(
      "nginx has a new log",
      () => statSync(nginx.accessLog, { throwIfNoEntry: false }) !== undefined,
    );
    ask(25);
    await linesAre(100);
    writeFileSync(nginx.accessLog, "");
    await log.read((line) => tally.addLine(line));
    ask(10);
    await linesAre(110);
    row("its log over a rotation and a truncation", "110 of 110 lines, each once");
  });
});

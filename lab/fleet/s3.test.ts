/**
 * A repository in an S3-compatible store: s3rver of the npm registry. It keeps files and answers as S3 does where this
 * test asks; it has no policies (everybody can read and write every object), no versions, and no access log.
 */
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { addRelease } from "../../src/publishing/add.ts";
import { temporaryDirectory } from "../basics/ending.ts";
import { heldPort } from "../basics/held-ports.ts";
import { until } from "../basics/until.ts";
import { add, keysOf, makePayload, makeSite, publishAll, rulesEntry, type Site } from "../publisher/site.ts";
import { cutOffDownload, type FleetDevice, openFleetDevice } from "./fleet-device.ts";
import { ended } from "./nginx-server.ts";
import { addRow } from "./table.ts";

const row = (what: string, value: string): void => addRow({ subject: "s3", what, value });

/** The address of a new bucket, and what the server was asked for. */
async function startStore(test: TestContext): Promise<{ url: string; asked: () => string[] }> {
  const place = execFileSync("sh", ["scripts/registry-packages.sh", "s3rver", "s3rver@3.7.1"], {
    encoding: "utf8",
  });
  const port = String(await heldPort());
  const directory = await temporaryDirectory(test);
  const words = [
    "--directory",
    directory,
    "--port",
    port,
    "--address",
    "127.0.0.1",
    "--configure-bucket",
    "updates",
  ];
  const child = spawn(process.execPath, [join(place.trim(), "node_modules/.bin/s3rver"), ...words], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  test.after(() => ended(child));
  let said = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => {
      said += text;
    });
  await until("s3rver listens", () => {
    assert.equal(child.exitCode, null, `s3rver has ended: ${said}`);
    return said.includes("listening");
  });
  // Its messages have the end of each path, and the status.
  const asked = (): string[] => [...said.matchAll(/\S+ \d{3} (?=\d+ms)/g)].map(([line]) => line.trim());
  return { url: `http://127.0.0.1:${port}/updates`, asked };
}

/** A check, and the two minutes in which its release proves healthy. */
async function checked(device: FleetDevice): Promise<void> {
  await device.check();
  await device.runUntil(device.time.now() + 120);
}

/** As docs/updates/publish.md says: payloads first, timestamp.json last. Signed by curl, not by us (AWS Signature 4). */
function upload({ workspace }: Site, url: string): number {
  const all = readdirSync(workspace.public, { recursive: true, withFileTypes: true })
    .filter((one) => one.isFile())
    .map((one) => join(one.parentPath, one.name));
  const rank = (path: string): number => {
    if (path.endsWith("timestamp.json")) return 2;
    return path.startsWith(workspace.targets) ? 0 : 1;
  };
  const ordered = all.toSorted((one, other) => rank(one) - rank(other));
  const signing = ["--aws-sigv4", "aws:amz:us-east-1:s3", "--user", "S3RVER:S3RVER"];
  for (const file of ordered) {
    const address = `${url}${file.slice(workspace.public.length)}`;
    const hash = createHash("sha256").update(readFileSync(file)).digest("hex");
    const signed = [...signing, "-H", `x-amz-content-sha256: ${hash}`];
    execFileSync("curl", ["-sS", "--fail", ...signed, "-T", file, address], { stdio: "pipe" });
  }
  return ordered.length;
}

async function publishedIn(test: TestContext) {
  const site = await makeSite(test);
  await add(site, { version: "1.0.0" });
  await publishAll(site);
  const store = await startStore(test);
  const files = upload(site, store.url);
  const directory = await temporaryDirectory(test);
  const root = readFileSync(join(site.workspace.metadata, "1.root.json"));
  const device = await openFleetDevice({
    ...{ url: store.url, root, directory, random: Math.random },
    isHealthy: () => true,
  });
  test.after(() => device.room.stop());
  return { site, store, files, directory, device };
}

describe("a repository in an S3-compatible store", { timeout: 300_000 }, () => {
  it("is found, checked again without a body, and followed to the next release", async (test) => {
    const { site, store, files, device } = await publishedIn(test);
    await checked(device);
    assert.equal(device.room.status().schedule.last_check?.code, null);
    assert.equal(device.begun.size, 1);
    row("the repository", `${files} files, uploaded with curl --aws-sigv4`);
    await checked(device);
    const { requests, body_bytes } = device.room.status().schedule.last_check ?? {};
    assert.deepEqual([requests, body_bytes], [2, 0]);
    row(
      "a check without news",
      "2 requests (404 for the next root, 304 for the timestamp), 0 bytes of metadata",
    );
    await add(site, { version: "1.1.0" });
    await publishAll(site);
    upload(site, store.url);
    await device.check();
    // The download takes its own time, whatever the virtual clock says.
    await until("1.1.0 has begun", async () => {
      await device.runUntil(device.time.now() + 1);
      return device.begun.has("1.1.0");
    });
    assert.deepEqual([...device.begun.keys()], ["1.0.0", "1.1.0"]);
  });

  it("continues a download where it was cut off", async (test) => {
    const { site, store, directory, device } = await publishedIn(test);
    await checked(device);
    const file = makePayload(site, "large.tar.gz", randomBytes(6_000_000).toString("base64"));
    const keys = await keysOf(site.workspace);
    await addRelease(site.workspace, { file, entry: rulesEntry({ version: "2.0.0" }), keys });
    await publishAll(site);
    upload(site, store.url);
    const lengthBytes = statSync(file).size;
    cutOffDownload(device, directory, lengthBytes);
    await checked(device);
    await until("s3rver has told of it", () => store.asked().some((one) => /\.tar\.gz 206$/.test(one)));
    assert.ok(device.begun.has("2.0.0"));
    row("a download that was cut off", `${lengthBytes} bytes; the second request was answered with 206`);
  });
});

import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { describe, it } from "node:test";
import { temporaryDirectory } from "../../../lab/basics/ending.ts";
import { asNobody } from "../../../lab/host/credentials.ts";
import { StewardError, systemErrorCode } from "../../../src/contract/errors.ts";
import { listenTcp, listenUnix } from "../../../src/http/wire/listeners.ts";

const now = () => new Date();

/** A path in the directory of so many bytes. */
const pathOf = (directory: string, bytes: number) =>
  join(directory, "s".repeat(bytes - Buffer.byteLength(directory) - 1));

function isTooLong(option: string): (error: unknown) => boolean {
  return (error) => {
    assert.ok(error instanceof StewardError && error.code === "validation_failed", String(error));
    assert.match(error.message, /has 108 bytes, and a unix socket may have 107\. Choose a shorter one with/);
    assert.ok(error.message.includes(option), error.message);
    return true;
  };
}

describe("the agent's socket", () => {
  it("listens at a path of 107 bytes", async (test) => {
    const path = pathOf(await temporaryDirectory(test), 107);
    const listener = await listenUnix((_, response) => void response.end(), path, now);
    assert.equal(listener.address, path);
    await listener.stop(0);
  });

  it("is refused at a longer one, with both numbers and what to do, and nothing is made", async (test) => {
    const directory = await temporaryDirectory(test);
    const listening = listenUnix((_, response) => void response.end(), pathOf(directory, 108), now);
    // One that listens all the same would keep the test from ending.
    listening.then(
      (listener) => listener.stop(0),
      () => undefined,
    );
    await assert.rejects(listening, isTooLong("--run DIRECTORY"));
    assert.deepEqual(readdirSync(directory), []);
  });

  it("answers all who wait to be accepted when it is stopped, and is found by no later client", async (test) => {
    const path = join(await temporaryDirectory(test), "socket");
    const listener = await listenUnix((_, response) => void response.end("done"), path, now);
    const get = (): Promise<string> =>
      new Promise((resolve) => {
        const client = request({ socketPath: path, agent: false }, (response) => {
          response.resume();
          resolve(String(response.statusCode));
        });
        client.on("error", (error) => resolve(systemErrorCode(error) ?? error.message));
        client.end();
      });
    // In one turn of the event loop: none of them is accepted before the stop begins.
    const waiting = Array.from({ length: 40 }, get);
    const stopped = listener.stop(4_000);
    const answers = await Promise.all(waiting);
    assert.deepEqual(answers, Array(40).fill("200"));
    await stopped;
    assert.equal(await get(), "ENOENT");
  });
});

describe("a port", () => {
  it("that another program listens at is said to be taken", async () => {
    const first = await listenTcp((_, response) => void response.end(), "127.0.0.1", 0, { now });
    const port = Number(new URL(first.address).port);
    const refused = listenTcp((_, response) => void response.end(), "127.0.0.1", port, { now });
    await assert.rejects(refused, /EADDRINUSE.*Another program listens there/);
    await first.stop(0);
  });

  it("that takes a right, or an address that is elsewhere, is refused with what to do", async () => {
    const listen = (host: string, port: number) =>
      listenTcp((_, response) => void response.end(), host, port, { now });
    await assert.rejects(listen("203.0.113.7", 0), /EADDRNOTAVAIL.*does not have that address/);
    await asNobody(() => assert.rejects(listen("127.0.0.1", 443), /EACCES.*choose a higher one/));
  });
});

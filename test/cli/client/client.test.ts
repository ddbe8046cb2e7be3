import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createServer as createHttpsServer } from "node:https";
import { createServer, type Socket } from "node:net";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { temporaryDirectory } from "../../../lab/command-line/run-steward.ts";
import {
  type Answer,
  annaId,
  answerFrom,
  exampleUser,
  listen,
  pageOf,
  portOf,
  problem,
  type Received,
  startAgent,
  startNetworkAgent,
} from "../../../lab/command-line/scripted-agent.ts";
import { AgentAbsent } from "../../../src/cli/client/agent-connection.ts";
import { allPages, type PageQuery } from "../../../src/cli/client/all-pages.ts";
import { createHttpClient } from "../../../src/cli/client/client.ts";
import type { Places } from "../../../src/cli/client/places.ts";
import { StewardError } from "../../../src/contract/errors.ts";

const nowhere: Places = {
  ...{
    socketPath: "/nonexistent/steward.sock",
    stateDirectory: "/nonexistent",
    runDirectory: "/nonexistent",
  },
  ...{ hostFile: "/nonexistent/steward.json", releasesDirectory: "/none", trustDirectory: "/none" },
  ...{ url: undefined, mayBeOverheard: false, tokenFile: undefined, authorityFile: undefined },
};
const clientAt = (places: Partial<Places>, options?: { timeoutMilliseconds: number }) =>
  createHttpClient({ ...nowhere, ...places }, options);

/** Asks for the version at a socket where a server does this to each connection. */
async function versionFrom(test: TestContext, onSocket: (socket: Socket) => void) {
  const socketPath = join(temporaryDirectory(test), "odd.sock");
  const server = createServer(onSocket);
  await new Promise<void>((resolve) => server.listen(socketPath, resolve));
  test.after(() => server.close());
  return clientAt({ socketPath }, { timeoutMilliseconds: 500 }).call("getVersion", {});
}

/** Asks for the version, of which an agent says this. */
async function versionAnswered(test: TestContext, answer: Answer) {
  const { socketPath } = await startAgent(test, { "GET /api/version": answer });
  return clientAt({ socketPath }).call("getVersion", {});
}

describe("createHttpClient", { concurrency: true }, () => {
  it("finds no agent at a socket that an ended one has left behind", async (test) => {
    const socketPath = join(temporaryDirectory(test), "left.sock");
    const program =
      "require('net').createServer().listen(process.argv[1], () => process.kill(process.pid, 'SIGKILL'))";
    spawnSync(process.execPath, ["-e", program, socketPath]);
    assert.ok(existsSync(socketPath), "the socket is there");
    const call = clientAt({ socketPath }).call("getVersion", {});
    await assert.rejects(call, (error) => error instanceof AgentAbsent);
  });

  it("ends with 8 where the agent is silent, and where it leaves without an answer", async (test) => {
    const silent = versionFrom(test, () => undefined);
    const message = /holds .*odd\.sock but did not answer within/;
    await assert.rejects(silent, { exitCode: 8, message });
    const hasty = versionFrom(test, (socket) => socket.once("data", () => socket.destroy()));
    const unknown = /It is not known whether the request was carried out/;
    await assert.rejects(hasty, { exitCode: 8, message: unknown });
  });

  it("throws the code, the detail and the details of a problem", async (test) => {
    const errors = [{ pointer: "/role", code: "enum", detail: "must be a role" }];
    const more = { detail: "Not valid.", errors, retry_after: 5 };
    const call = versionAnswered(test, problem({ code: "validation_failed", status: 400, ...more }));
    const details = { errors, retryAfterSeconds: 5 };
    await assert.rejects(call, (error) => {
      assert.ok(error instanceof StewardError);
      const thrown = [error.code, error.message, error.details];
      assert.deepEqual(thrown, ["validation_failed", "Not valid.", details]);
      return true;
    });
  });

  it("judges a code that it does not know by the status, and refuses an answer that is not the agent's", async (test) => {
    const frozen = problem({ code: "account_frozen", status: 429, detail: "Frozen." });
    const message = /^Frozen\. \(account_frozen\)$/;
    await assert.rejects(versionAnswered(test, frozen), { exitCode: 7, message });
    const page = { status: 200, type: "text/html", body: "<html>" };
    const foreign = { exitCode: 1, message: /status 200 with text\/html/ };
    await assert.rejects(versionAnswered(test, page), foreign);
  });

  it("fills path, query and body from the contract's table", async (test) => {
    const path = `/api/users/${annaId}`;
    const { socketPath, received } = await startAgent(test, {
      "GET /api/users": pageOf(),
      [`PUT ${path}`]: { body: exampleUser() },
      [`DELETE ${path}`]: { status: 204 },
    });
    const client = clientAt({ socketPath });
    await client.call("listUsers", { query: { q: "a&b", limit: 200, sort: "username" } });
    await client.call("updateUser", { params: { id: annaId }, body: { enabled: false } });
    assert.equal(await client.call("deleteUser", { params: { id: annaId } }), undefined);
    assert.deepEqual(
      received.map(({ method, path, body }) => [method, path, body]),
      [
        ["GET", "/api/users?q=a%26b&limit=200&sort=username", undefined],
        ["PUT", path, { enabled: false }],
        ["DELETE", path, undefined],
      ],
    );
  });

  it("keeps a parameter from leaving its place in the path", async (test) => {
    const { socketPath, received } = await startAgent(test, {});
    await assert.rejects(clientAt({ socketPath }).call("getUser", { params: { id: "../system?x" } }));
    assert.equal(received[0]?.path, "/api/users/..%2Fsystem%3Fx");
  });

  it("sends the token of a file as Bearer to the URL's own path, and none that could smuggle a header", async (test) => {
    const tokenFile = join(temporaryDirectory(test), "token");
    writeFileSync(tokenFile, "abc.def-123=\n");
    const { url, received } = await startNetworkAgent(test, { "GET /box/api/users": pageOf() });
    const client = clientAt({ url: new URL(`${url}/box/`), tokenFile });
    await client.call("listUsers", {});
    writeFileSync(tokenFile, "abc\r\nX-Forwarded-For: 127.0.0.1");
    const message = /does not contain a bearer token/;
    await assert.rejects(clientAt({ url: new URL(url), tokenFile }).call("getVersion", {}), {
      ...{ exitCode: 6, message },
    });
    const tokens = received.map(({ authorization }) => authorization);
    assert.deepEqual(tokens, ["Bearer abc.def-123="]);
  });

  it("refuses a certificate of an unknown authority, says what to do, and accepts the one that is named", async (test) => {
    const directory = temporaryDirectory(test);
    const [key, authorityFile] = [join(directory, "key.pem"), join(directory, "certificate.pem")];
    const request = "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2".split(" ");
    const names = ["-subj", "/CN=device", "-addext", "subjectAltName=IP:127.0.0.1"];
    const words = [...request, ...names, "-keyout", key, "-out", authorityFile];
    execFileSync("openssl", words, { stdio: "ignore" });
    const received: Received[] = [];
    const version = { body: { name: "steward", version: "9.9.9", api_version: "1" } };
    const server = createHttpsServer(
      { key: readFileSync(key), cert: readFileSync(authorityFile) },
      answerFrom({ "GET /api/version": version }, received),
    );
    await listen(test, server, 0);
    const url = new URL(`https://127.0.0.1:${portOf(server)}`);
    await assert.rejects(clientAt({ url }).call("getVersion", {}), { exitCode: 8, message: /--cacert/ });
    assert.deepEqual(received, []);
    assert.equal((await clientAt({ url, authorityFile }).call("getVersion", {})).version, "9.9.9");
  });
});

describe("the pages of a list", () => {
  for (const [wanted, items, next_cursor, asked] of [
    [
      undefined,
      [0, 1, 2, 3, 4, 5, 6],
      null,
      [{ limit: 200 }, { limit: 200, cursor: "3" }, { limit: 200, cursor: "6" }],
    ],
    [4, [0, 1, 2, 3], "4", [{ limit: 4 }, { limit: 1, cursor: "3" }]],
  ] as const)
    it(`are read as one, as far as is wanted: ${wanted ?? "all"}`, async () => {
      const queries: PageQuery[] = [];
      /** Seven numbers, in pages of three at most. */
      const read = async (query: PageQuery) => {
        queries.push(query);
        const begin = Number(query.cursor ?? 0);
        const end = Math.min(7, begin + Math.min(3, query.limit));
        const items = Array.from({ length: end - begin }, (_, index) => begin + index);
        return { items, total: 7, next_cursor: end < 7 ? String(end) : null };
      };
      assert.deepEqual(await allPages(read, wanted), { items, total: 7, next_cursor });
      assert.deepEqual(queries, asked);
    });
});

import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { createServer as createHttpsServer } from "node:https";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { temporaryDirectory } from "../../../lab/command-line/run-steward.ts";
import {
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
import { asNobody } from "../../../lab/host/credentials.ts";
import { AgentAbsent } from "../../../src/cli/client/agent-connection.ts";
import { allPages, type PageQuery } from "../../../src/cli/client/all-pages.ts";
import { createHttpClient } from "../../../src/cli/client/client.ts";
import type { Places } from "../../../src/cli/client/places.ts";
import { StewardError } from "../../../src/contract/errors.ts";
import { CommandError } from "../../../src/terminal/command-error.ts";

function placesAt(change: Partial<Places>): Places {
  return {
    socketPath: "/nonexistent/steward.sock",
    stateDirectory: "/nonexistent",
    runDirectory: "/nonexistent",
    hostFile: "/nonexistent/steward.json",
    releasesDirectory: "/none",
    trustDirectory: "/none",
    url: undefined,
    mayBeOverheard: false,
    tokenFile: undefined,
    authorityFile: undefined,
    ...change,
  };
}

function failsWith(exitCode: number, message: RegExp) {
  return (error: unknown) =>
    error instanceof CommandError && error.exitCode === exitCode && message.test(error.message);
}

describe("createHttpClient", { concurrency: true }, () => {
  describe("when the agent cannot be reached", () => {
    it("says the same of a socket that an ended agent has left behind", async (test) => {
      const socketPath = join(temporaryDirectory(test), "left.sock");
      const program =
        "require('net').createServer().listen(process.argv[1], () => process.kill(process.pid, 'SIGKILL'))";
      spawnSync(process.execPath, ["-e", program, socketPath]);
      assert.ok(existsSync(socketPath), "existsSync(socketPath)");
      const client = createHttpClient(placesAt({ socketPath }));
      await assert.rejects(client.call("getVersion", {}), (error) => error instanceof AgentAbsent);
    });

    it("says that the agent does not answer when it holds the socket in silence", async (test) => {
      const socketPath = join(temporaryDirectory(test), "mute.sock");
      const server = createServer(() => {});
      await new Promise<void>((resolve) => server.listen(socketPath, resolve));
      test.after(() => server.close());
      const client = createHttpClient(placesAt({ socketPath }), { timeoutMilliseconds: 50 });
      await assert.rejects(
        client.call("getVersion", {}),
        failsWith(8, /holds .*mute\.sock but did not answer within/),
      );
    });

    it("says that the outcome is not known when the connection ends without an answer", async (test) => {
      const socketPath = join(temporaryDirectory(test), "hasty.sock");
      const server = createServer((socket) => socket.once("data", () => socket.destroy()));
      await new Promise<void>((resolve) => server.listen(socketPath, resolve));
      test.after(() => server.close());
      const client = createHttpClient(placesAt({ socketPath }));
      await assert.rejects(
        client.call("getVersion", {}),
        failsWith(8, /Whether the request was carried out is not known/),
      );
    });
  });

  describe("when the agent refuses", () => {
    it("throws the problem's code, detail and details", async (test) => {
      const errors = [{ pointer: "/role", code: "enum", detail: "must be a role" }];
      const more = { detail: "Not valid.", errors, retry_after: 5 };
      const answer = problem({ code: "validation_failed", status: 400, ...more });
      const { socketPath } = await startAgent(test, { "GET /api/version": answer });
      await assert.rejects(createHttpClient(placesAt({ socketPath })).call("getVersion", {}), (error) => {
        assert.ok(error instanceof StewardError, "error instanceof StewardError");
        assert.equal(error.code, "validation_failed");
        assert.equal(error.message, "Not valid.");
        assert.deepEqual(error.details, { errors, retryAfterSeconds: 5 });
        return true;
      });
    });

    it("judges a code that it does not know by the status", async (test) => {
      const answer = problem({ code: "account_frozen", status: 429, detail: "Frozen." });
      const { socketPath } = await startAgent(test, { "GET /api/version": answer });
      const call = createHttpClient(placesAt({ socketPath })).call("getVersion", {});
      await assert.rejects(call, failsWith(7, /^Frozen\. \(account_frozen\)$/));
    });
  });

  it("refuses an answer that is not the agent's", async (test) => {
    const page = { status: 200, type: "text/html", body: "<html>" };
    const { socketPath } = await startAgent(test, { "GET /api/version": page });
    const call = createHttpClient(placesAt({ socketPath })).call("getVersion", {});
    await assert.rejects(call, failsWith(1, /status 200 with text\/html/));
  });

  it("fills path, query and body from the contract's table", async (test) => {
    const path = `/api/users/${annaId}`;
    const { socketPath, received } = await startAgent(test, {
      "GET /api/users": pageOf(),
      [`PUT ${path}`]: { body: exampleUser() },
      [`DELETE ${path}`]: { status: 204 },
    });
    const client = createHttpClient(placesAt({ socketPath }));
    await client.call("listUsers", { query: { q: "a&b", limit: 200, sort: "username" } });
    await client.call("updateUser", { params: { id: annaId }, body: { enabled: false } });
    assert.equal(await client.call("deleteUser", { params: { id: annaId } }), undefined);
    assert.deepEqual(
      received.map(({ method, path, body }) => ({ method, path, body })),
      [
        { method: "GET", path: "/api/users?q=a%26b&limit=200&sort=username", body: undefined },
        { method: "PUT", path, body: { enabled: false } },
        { method: "DELETE", path, body: undefined },
      ],
    );
  });

  it("keeps a parameter from leaving its place in the path", async (test) => {
    const { socketPath, received } = await startAgent(test, {});
    const call = createHttpClient(placesAt({ socketPath })).call("getUser", {
      params: { id: "../system?x" },
    });
    await assert.rejects(call);
    assert.equal(received[0]?.path, "/api/users/..%2Fsystem%3Fx");
  });

  describe("with a token file", () => {
    it("sends the token as Bearer, to the URL's own path", async (test) => {
      const tokenFile = join(temporaryDirectory(test), "token");
      writeFileSync(tokenFile, "abc.def-123=\n");
      const { url, received } = await startNetworkAgent(test, { "GET /box/api/users": pageOf() });
      const client = createHttpClient(placesAt({ url: new URL(`${url}/box/`), tokenFile }));
      await client.call("listUsers", {});
      assert.equal(received[0]?.authorization, "Bearer abc.def-123=");
    });

    it("refuses a file that could smuggle a header", async (test) => {
      const tokenFile = join(temporaryDirectory(test), "token");
      writeFileSync(tokenFile, "abc\r\nX-Forwarded-For: 127.0.0.1");
      const { url, received } = await startNetworkAgent(test, {});
      const call = createHttpClient(placesAt({ url: new URL(url), tokenFile })).call("getVersion", {});
      await assert.rejects(call, failsWith(6, /does not contain a bearer token/));
      assert.deepEqual(received, []);
    });
  });

  describe("over https", () => {
    it("refuses a certificate of an unknown authority, and says what to do", async (test) => {
      const { url, received } = await startTlsAgent(test);
      const call = createHttpClient(placesAt({ url })).call("getVersion", {});
      await assert.rejects(call, failsWith(8, /--cacert/));
      assert.deepEqual(received, []);
    });

    it("accepts the authority that was named", async (test) => {
      const { url, authorityFile } = await startTlsAgent(test);
      const version = await createHttpClient(placesAt({ url, authorityFile })).call("getVersion", {});
      assert.equal(version.version, "9.9.9");
    });
  });
});

async function startTlsAgent(
  test: TestContext,
): Promise<{ url: URL; authorityFile: string; received: Received[] }> {
  const directory = temporaryDirectory(test);
  const [key, authorityFile] = [join(directory, "key.pem"), join(directory, "certificate.pem")];
  const request = "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2".split(" ");
  const names = ["-subj", "/CN=device", "-addext", "subjectAltName=IP:127.0.0.1"];
  execFileSync("openssl", [...request, ...names, "-keyout", key, "-out", authorityFile], { stdio: "ignore" });
  const received: Received[] = [];
  const version = { body: { name: "steward", version: "9.9.9", api_version: "1" } };
  const server = createHttpsServer(
    { key: readFileSync(key), cert: readFileSync(authorityFile) },
    answerFrom({ "GET /api/version": version }, received),
  );
  await listen(test, server, 0);
  return { url: new URL(`https://127.0.0.1:${portOf(server)}`), authorityFile, received };
}

// No other test may run beside it: as long as it lasts, this whole process is another user.
describe("createHttpClient at a closed socket", () => {
  it("says which users may open the socket when it is closed to this one", async (test) => {
    const { socketPath } = await startAgent(test, {});
    chmodSync(socketPath, 0);
    const client = createHttpClient(placesAt({ socketPath }));
    const called = asNobody(() => client.call("getVersion", {}));
    await assert.rejects(called, failsWith(4, /as root or as the service's user/));
  });
});

/** A list of so many numbers, in pages of three at most. */
function listOf(count: number) {
  const asked: PageQuery[] = [];
  const read = async (query: PageQuery) => {
    asked.push(query);
    const begin = Number(query.cursor ?? 0);
    const end = Math.min(count, begin + Math.min(3, query.limit));
    const items = Array.from({ length: end - begin }, (_, index) => begin + index);
    return { items, total: count, next_cursor: end < count ? String(end) : null };
  };
  return { read, asked };
}

describe("the pages of a list", () => {
  it("are read to the end as one", async () => {
    const { read, asked } = listOf(7);
    assert.deepEqual(await allPages(read), { items: [0, 1, 2, 3, 4, 5, 6], total: 7, next_cursor: null });
    assert.deepEqual(asked, [{ limit: 200 }, { limit: 200, cursor: "3" }, { limit: 200, cursor: "6" }]);
  });

  it("are read no further than is wanted, and say that there is more", async () => {
    const { read, asked } = listOf(7);
    assert.deepEqual(await allPages(read, 4), { items: [0, 1, 2, 3], total: 7, next_cursor: "4" });
    assert.deepEqual(asked.at(-1), { limit: 1, cursor: "3" });
  });
});

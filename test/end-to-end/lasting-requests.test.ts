import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { type ClientRequest, type IncomingMessage, request } from "node:http";
import { join } from "node:path";
import { before, describe, it } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { goodPassword, type SignedIn } from "../../lab/agents/checked-agent.ts";
import { stepUp } from "../../lab/agents/running-agent.ts";
import { tarEntry } from "../../lab/archives/tar-writer.ts";
import { endOfSuite, ofSuite } from "../../lab/basics/ending.ts";
import { until } from "../../lab/basics/until.ts";
import { createStartFilter } from "../../src/host/linux/filters.ts";
import type { Filter } from "../../src/host/ports.ts";
import { startPublisher, startUpdatingAgent } from "./updates/updating-agent.ts";

/** "Within a few seconds", on a slow machine: a request that is not judged again ends after a minute at the earliest. */
const fewSeconds = 15;

/** A request that a user begins and does not end, and the scope by which an API token may. */
interface Held {
  readonly role: "admin" | "operator";
  readonly scope?: string;
  readonly method: string;
  readonly path: string;
  readonly body?: object;
  /** It has an answer while it lasts. */
  readonly isAnswered: boolean;
}

const upload: Held = {
  ...{ role: "operator", scope: "updates:check", isAnswered: false },
  ...{ method: "PUT", path: "/api/updates/repository" },
};
const backup: Held = {
  ...{ role: "admin", isAnswered: true, method: "POST", path: "/api/system/backup" },
  body: { passphrase: "seven wet horses at the old pier" },
};
const stream = { role: "operator", isAnswered: true, method: "GET" } as const;
const table: readonly Held[] = [
  upload,
  backup,
  { role: "admin", isAnswered: false, method: "POST", path: "/api/system/support-bundle" },
  { ...stream, scope: "events:read", path: "/api/events/stream" },
  { ...stream, scope: "logs:read", path: "/api/logs/stream" },
];

describe("a request that lasts", () => {
  const ending = endOfSuite();
  /** The processes of backups that nobody has ended. */
  const running = new Set<Filter>();
  const startReal = createStartFilter();
  /** age that encrypts without end, and a doctor whose disk does not answer. */
  const startFilter: typeof startReal = (_, args) => {
    const isBackup = args.some((one) => one.endsWith("backup.js"));
    const filter = isBackup ? startReal("yes", []) : startReal("sleep", ["600"]);
    if (isBackup) running.add(filter);
    void filter.ended.then(() => running.delete(filter));
    return filter;
  };
  const agent = ofSuite(() => startUpdatingAgent({ startFilter }));
  let uploaded: string;
  before(async () => {
    const { repository } = await startPublisher(ending);
    repository.addRelease({ version: "1.0.0" });
    repository.publish("rules");
    await agent.signedInAdmin();
    await agent.install(repository.metadata("1.root"));
    uploaded = join(agent.stateDirectory, "updates/uploaded");
  });

  /** Begins it, and takes as little as keeps it going. `over` gives the status, or null for an answer that breaks off or ends. */
  const begin = async ({ method, path, body, isAnswered }: Held, token: string) => {
    const isUpload = method === "PUT";
    const headers = {
      authorization: `Bearer ${token}`,
      ...(isUpload && { "content-type": "application/octet-stream", "content-length": 2 ** 28 }),
      ...(body && { "content-type": "application/json" }),
    };
    const sent: ClientRequest = request({
      ...{ host: "127.0.0.1", port: agent.port, method, path, headers, agent: false },
    });
    const answer = new Promise<IncomingMessage>((resolve, reject) => {
      sent.once("response", resolve);
      sent.once("error", reject);
    });
    answer.catch(() => undefined);
    if (isUpload) {
      sent.write(tarEntry({ name: "metadata/timestamp.json", size: 2 ** 27 }));
      const drip = setInterval(() => sent.writable && sent.write("a".repeat(2_000)), 100);
      sent.once("close", () => clearInterval(drip));
      await until("it is being read", () => existsSync(uploaded));
    } else sent.end(body && JSON.stringify(body));
    if (isAnswered) assert.equal((await answer).statusCode, 200, path);
    else await agent.call("GET", "/api/health");
    const over = async (): Promise<number | null> => {
      const response = await answer;
      if (response.statusCode !== 200) {
        response.resume();
        return response.statusCode ?? 0;
      }
      await new Promise((resolve) => response.resume().once("end", resolve).once("error", resolve));
      return null;
    };
    const outcome = over().finally(() => sent.destroy());
    const late = delay(fewSeconds * 1_000, "goes on" as const, { ref: false });
    return { outcome: () => Promise.race([outcome, late]).finally(() => sent.destroy()) };
  };

  type Ending = { readonly token: string; readonly act: () => Promise<unknown> };
  /** The refusal of each, and that its place and its bytes are free again. */
  const endsWith = async (held: readonly Held[], refused: number, end: (one: Held) => Promise<Ending>) => {
    const begun = await Promise.all(
      held.map(async (one) => {
        const { token, act } = await end(one);
        return { one, act, open: await begin(one, token) };
      }),
    );
    const outcomes = begun.map(async ({ one: { path }, act, open }) => {
      await act();
      return [path, await open.outcome()];
    });
    assert.deepEqual(
      await Promise.all(outcomes),
      held.map(({ path, isAnswered }) => [path, isAnswered ? null : refused]),
    );
    await until("the process of the backup is gone", () => running.size === 0);
    await until("the bytes of the upload are gone", () => !existsSync(uploaded));
  };

  let users = 0;
  const newUser = ({ role }: Held): Promise<SignedIn> => {
    users += 1;
    return agent.signedIn(`user-${users}`, role);
  };
  const put = (id: string, body: object) => agent.call("PUT", `/api/users/${id}`, { local: true, body });

  it("ends within seconds when its account is disabled, and its place and bytes are free", () =>
    endsWith(table, 401, async (held) => {
      const { id, token } = await newUser(held);
      return { token, act: () => put(id, { enabled: false }) };
    }));

  const scoped = table.filter(({ scope }) => scope !== undefined);
  it("ends within seconds when its API token is deleted", () =>
    endsWith(scoped, 401, async (held) => {
      const { token } = await newUser(held);
      const body = { name: "monitor", scopes: [held.scope], expires_in: "1d" };
      const { json } = await agent.call("POST", "/api/tokens", { token, body });
      return { token: json.token, act: () => agent.call("DELETE", `/api/tokens/${json.id}`, { token }) };
    }));

  it("of an operator's upload gives its place to an administrator", async () => {
    const operator = await newUser(upload);
    const open = await begin(upload, operator.token);
    const admin = await agent.signedIn("late-admin", "admin");
    const rest = await begin(upload, admin.token);
    assert.equal(await open.outcome(), 429);
    assert.equal((await put(admin.id, { enabled: false })).status, 200);
    assert.equal(await rest.outcome(), 401);
    await until("nothing is left", () => !existsSync(uploaded));
  });

  it("goes on when the password that it took was given more than five minutes ago, and when its access token ends", async () => {
    const { token, id } = await newUser(backup);
    await stepUp(agent.call, token, goodPassword);
    const open = await begin(backup, token);
    await agent.pass(20 * 60);
    let hasEnded = false;
    const outcome = open.outcome().then((end) => {
      hasEnded = true;
      return end;
    });
    await delay(2_500);
    assert.equal(hasEnded, false);
    await put(id, { enabled: false });
    assert.equal(await outcome, null);
  });
});

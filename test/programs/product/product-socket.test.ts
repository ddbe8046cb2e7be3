import assert from "node:assert/strict";
import { once } from "node:events";
import { request } from "node:http";
import { connect, createServer, type Socket } from "node:net";
import { join } from "node:path";
import { afterEach, beforeEach, describe, it, type TestContext } from "node:test";
import { temporaryDirectory } from "../../../lab/basics/ending.ts";
import { until } from "../../../lab/basics/until.ts";
import { type StandingTime, standingTime } from "../../../lab/simulated/test-time.ts";
import { StewardError } from "../../../src/contract/errors.ts";
import type { Peer } from "../../../src/host/ports.ts";
import { createProductSocket } from "../../../src/programs/agent/product/product-socket.ts";

const pump: Peer = { pid: 7, uid: 990 };
const stranger: Peer = { pid: 8, uid: 1_000 };

/** A connection of the next peer, and what has come over it. */
interface Client {
  readonly socket: Socket;
  readonly lines: () => readonly { status?: string; code?: string; detail?: string; ended?: string }[];
  readonly isOver: () => boolean;
}

describe("the product's socket", () => {
  let time: StandingTime;
  let path: string;
  let peer: Peer | null;
  let asked: Peer[];
  let spoken: unknown[];
  let unitOf: (peer: Peer) => Promise<string>;
  let followers: Set<(message: { ended: string }) => void>;
  let clients: Socket[];
  let close: () => Promise<unknown>;

  const listen = async (t: TestContext, units = ["pump.service", "other.service"]): Promise<void> => {
    path = join(await temporaryDirectory(t), "socket");
    const { take, stop } = createProductSocket({
      units,
      timers: time.timers,
      readPeer: () => peer,
      unitOf: (one) => {
        asked.push(one);
        return unitOf(one);
      },
      word: {
        take: (unit, line) => {
          spoken.push([unit, line]);
          return { status: "taken" };
        },
      },
      follow: (send) => {
        followers.add(send);
        return () => followers.delete(send);
      },
      introspect: (_, response) => response.end('{"active":false}'),
    });
    const server = createServer(take).listen(path);
    await once(server, "listening");
    close = async () => {
      stop();
      for (const socket of clients) socket.destroy();
      return new Promise((resolve) => server.close(resolve));
    };
  };
  const comes = async (as: Peer | null = pump): Promise<Client> => {
    peer = as;
    const socket = connect(path);
    clients.push(socket);
    let text = "";
    let isOver = false;
    socket.on("error", () => undefined).setEncoding("utf8");
    socket.on("data", (chunk: string) => {
      text += chunk;
    });
    socket.once("close", () => {
      isOver = true;
    });
    await once(socket, "connect");
    const lines = () => text.split("\n").slice(0, -1);
    return { socket, lines: () => lines().map((line) => JSON.parse(line)), isOver: () => isOver };
  };
  const has = ({ lines }: Client, count: number) =>
    until(`${count} lines have come: ${JSON.stringify(lines())}`, () => lines().length >= count);
  const refusedWith = async (client: Client, code: string): Promise<string> => {
    await until(`it ends with ${code}: ${JSON.stringify(client.lines())}`, () => client.isOver());
    const last = client.lines().at(-1);
    assert.deepEqual([last?.status, last?.code], ["refused", code], JSON.stringify(client.lines()));
    return last?.detail ?? "";
  };

  beforeEach(() => {
    time = standingTime();
    asked = [];
    spoken = [];
    clients = [];
    followers = new Set();
    unitOf = async ({ uid }) => (uid === pump.uid ? "pump.service" : `user@${uid}.service`);
  });
  afterEach(() => close());

  it("takes each line of a unit in order, whole or in pieces, and asks once a connection whose it is", async (t) => {
    await listen(t);
    const client = await comes();
    client.socket.write('{"event":"valve_stuck","numbers":{"valve":3}}\n{"ok":"pre');
    await has(client, 1);
    client.socket.write('ssure_low"}\n');
    await has(client, 2);
    assert.deepEqual(spoken, [
      ["pump.service", { event: "valve_stuck", numbers: { valve: 3 } }],
      ["pump.service", { ok: "pressure_low" }],
    ]);
    assert.deepEqual(client.lines(), [{ status: "taken" }, { status: "taken" }]);
    assert.deepEqual(asked, [pump]);
  });

  it("answers a peer that writes, and then closes its half", async (t) => {
    await listen(t);
    const client = await comes();
    client.socket.end('{"ok":"pressure_low"}\n');
    await until("it is over", () => client.isOver());
    assert.deepEqual(client.lines(), [{ status: "taken" }]);
  });

  it("refuses a process that is in none of the units, in one line", async (t) => {
    await listen(t);
    const foreign = await comes(stranger);
    foreign.socket.write('{"need":"pressure_low"}\n');
    assert.match(
      await refusedWith(foreign, "forbidden"),
      /^The process 8 belongs to the unit user@1000\.service, /,
    );
    unitOf = () => Promise.reject(new StewardError("not_found", "no unit"));
    assert.match(await refusedWith(await comes(), "forbidden"), /^The process 7 belongs to no unit /);
    unitOf = () => Promise.reject(new StewardError("rate_limited", "Later."));
    assert.equal(await refusedWith(await comes({ pid: 9, uid: 7 }), "rate_limited"), "Later.");
    assert.match(await refusedWith(await comes(null), "not_ready"), /clock-steering\.node/);
    assert.deepEqual(spoken, []);
  });

  it("takes no HTTP of a process that is in none of the units", async (t) => {
    await listen(t);
    const foreign = await comes(stranger);
    foreign.socket.write("POST /api/product/introspect HTTP/1.1\r\n\r\n");
    await refusedWith(foreign, "forbidden");
  });

  it("keeps places free of a stranger who comes again and again, and asks root about few of them", async (t) => {
    await listen(t);
    let answer = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      answer = resolve;
    });
    unitOf = async ({ uid }) => {
      if (uid === stranger.uid) await held;
      return uid === pump.uid ? "pump.service" : "user@1000.service";
    };
    const [first, second] = [await comes(stranger), await comes(stranger)];
    for (let turn = 0; turn < 20; turn += 1) await refusedWith(await comes(stranger), "rate_limited");
    answer();
    await refusedWith(first, "forbidden");
    await refusedWith(second, "forbidden");
    await refusedWith(await comes(stranger), "rate_limited");
    assert.equal(asked.length, 2);
    const client = await comes();
    client.socket.write('{"ok":"pressure_low"}\n');
    await has(client, 1);
    time.pass(1);
    await refusedWith(await comes(stranger), "forbidden");
  });

  it("gives each unit its share of the places, so that one that was taken over leaves the others theirs", async (t) => {
    await listen(t);
    for (let turn = 0; turn < 8; turn += 1) await has(await said(await comes()), 1);
    assert.match(await refusedWith(await comes(), "rate_limited"), /^pump\.service has 8 connections open/);
    unitOf = async () => "other.service";
    await has(await said(await comes({ pid: 9, uid: 991 })), 1);
    unitOf = async () => "pump.service";
    clients[0]?.destroy();
    await until("the place is free", async () => {
      const next = await said(await comes());
      await until("it is answered", () => next.lines().length > 0);
      time.pass(1);
      return next.lines()[0]?.status === "taken";
    });
  });

  const said = async (client: Client): Promise<Client> => {
    client.socket.write('{"ok":"pressure_low"}\n');
    return client;
  };

  it("ends a connection with a line of more than 1,024 bytes, or none within five seconds", async (t) => {
    await listen(t);
    const longest = await comes();
    const pad = (bytes: number) => `{"ok":"${"x".repeat(bytes - 10)}"}\n`;
    longest.socket.write(pad(1_024));
    await has(longest, 1);
    longest.socket.write(pad(1_025));
    await refusedWith(longest, "payload_too_large");
    const endless = await comes();
    endless.socket.write("{".repeat(3_000));
    await refusedWith(endless, "payload_too_large");
    const slow = await comes();
    slow.socket.write('{"ok"');
    await time.passWhenAwaited(5);
    await refusedWith(slow, "request_timeout");
    assert.equal(spoken.length, 1);
  });

  it("does not mind a unit that is silent between its lines", async (t) => {
    await listen(t);
    const client = await comes();
    client.socket.write('{"ok":"a"}\n');
    await has(client, 1);
    time.pass(86_400);
    client.socket.write('{"ok":"b"}\n');
    await has(client, 2);
    assert.equal(client.isOver(), false);
  });

  it("says which line is no JSON, and goes on", async (t) => {
    await listen(t);
    const client = await comes();
    client.socket.write(
      Buffer.concat([Buffer.from([0xff, 0x0a]), Buffer.from('{"a":1,"a":2}\n\n{"ok":"a"}\n')]),
    );
    await has(client, 4);
    const codes = client.lines().map(({ code }) => code);
    assert.deepEqual(codes, ["malformed_json", "malformed_json", "malformed_json", undefined]);
    assert.deepEqual(spoken, [["pump.service", { ok: "a" }]]);
  });

  it("takes 16 lines of a flood at once and as many each quarter of a second, and answers all", async (t) => {
    await listen(t);
    const client = await comes();
    client.socket.end('{"ok":"a"}\n'.repeat(40));
    await has(client, 16);
    time.pass(0.25);
    await has(client, 32);
    assert.equal(spoken.length, 32);
    time.pass(0.25);
    await until("it is over", () => client.isOver());
    assert.equal(client.lines().length, 40);
  });

  it("ends a connection whose peer does not read", async (t) => {
    await listen(t);
    const client = await comes();
    client.socket.write('{"follow":"sessions"}\n');
    await has(client, 1);
    client.socket.pause();
    for (let turn = 0; turn < 20_000 && followers.size > 0; turn += 1)
      for (const send of followers) send({ ended: `ses_${"0".repeat(32)}` });
    await until("its follower has gone", () => followers.size === 0);
  });

  it("says ended sessions to those that follow them, between the answers, until they leave", async (t) => {
    await listen(t);
    const client = await comes();
    client.socket.write(
      '{"follow":"sessions"}\n{"follow":"sessions"}\n{"follow":"users"}\n{"follow":"sessions","ok":"a"}\n',
    );
    await has(client, 4);
    assert.deepEqual(
      client.lines().map(({ status, code }) => code ?? status),
      ["taken", "taken", "not_found", "taken"],
    );
    assert.deepEqual(spoken, [["pump.service", { follow: "sessions", ok: "a" }]]);
    for (const send of followers) send({ ended: "ses_1" });
    await has(client, 5);
    assert.deepEqual(client.lines()[4], { ended: "ses_1" });
    client.socket.destroy();
    await until("its follower has gone", () => followers.size === 0);
  });

  it("answers HTTP to a unit", async (t) => {
    await listen(t);
    peer = pump;
    const asking = request({ socketPath: path, method: "POST", path: "/api/product/introspect" });
    asking.end("token=stw_1");
    const [response] = await once(asking, "response");
    assert.equal((await response.toArray()).join(""), '{"active":false}');
  });

  it("ends all connections when the agent stops", async (t) => {
    await listen(t);
    const client = await said(await comes());
    await has(client, 1);
    await close();
    await until("it is over", () => client.isOver());
  });
});

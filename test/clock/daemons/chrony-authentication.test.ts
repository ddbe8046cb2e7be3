import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmodSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { heldPort, heldUdpPort } from "../../../lab/basics/held-ports.ts";
import { reaching } from "../../../lab/basics/ipv6.ts";
import { scratchDirectory } from "../../../lab/basics/scratch.ts";
import { type Authority, createAuthority } from "../../../lab/host/certificates.ts";
import { type Chronyd, chronyProgram, ntsLines, startChronyd } from "../../../lab/host/chronyd.ts";
import { createVirtualTime } from "../../../lab/simulated/virtual-time.ts";
import {
  createReadAuthentications,
  parseAuthdata,
} from "../../../src/clock/daemons/chrony-authentication.ts";
import { createChronyd } from "../../../src/clock/daemons/chronyd.ts";
import { createRunCommand } from "../../../src/host/linux/commands.ts";
import { createTimers } from "../../../src/host/linux/timers.ts";
import { type ChronyClient, readWhile, selecting, serverLine, startChronyClient } from "../chrony-client.ts";
import { absentHelper, recordedHelper } from "../recorded-helper.ts";

const unit = join(import.meta.dirname, "../../../systemd/steward-chrony@.service");
const directory = scratchDirectory();
const command = chronyProgram("chronyc");

/** The unit's own command for a verb, as systemd starts it, with another socket and another place of the answer. */
function runUnit(verb: string, socket: string, answers: string): void {
  const line = /^ExecStart=\/bin\/sh -c '(.+)' sh %i$/m.exec(readFileSync(unit, "utf8"))?.[1];
  assert.ok(line !== undefined, "the unit runs a script");
  const script = line
    .replaceAll("$$", "$")
    .replaceAll("/usr/bin/chronyc", command)
    .replaceAll("/run/chrony/chronyd.sock", socket)
    .replaceAll("/run/steward-chrony", answers);
  execFileSync("/bin/sh", ["-c", `umask 0077; ${script}`, "sh", verb], { stdio: "pipe" });
}

/** The root helper, for this chronyd. */
const helperOf = (client: ChronyClient, answers: string) =>
  recordedHelper((line) => runUnit(line.split(" ")[1] ?? "", client.socket, answers));

function readWith(client: ChronyClient, helper = helperOf(client, directory), answers = directory) {
  return createChronyd({
    ...{ run: createRunCommand(), helper, timers: createTimers(), command, port: client.commandPort },
    ...{ kernelIsSynchronised: () => null, panicSeconds: () => 1_000 },
    authdataFile: join(answers, "authdata"),
  }).read();
}

describe("a chronyd that is to authenticate its sources", () => {
  let authority: Authority;
  let server: Chronyd;
  const started: ChronyClient[] = [];
  const start = async (...lines: string[]): Promise<ChronyClient> => {
    const client = await startChronyClient(...lines);
    started.push(client);
    return client;
  };
  const ntsLine = () => `${serverLine("127.0.0.1", server.port)} nts ntsport ${server.ntsPort}`;
  const trusting = () => `ntstrustedcerts ${authority.path}`;
  before(async () => {
    authority = createAuthority(scratchDirectory());
    server = await startChronyd({ nts: authority.certify("127.0.0.1") });
  });
  after(async () => {
    for (const one of [...started, server]) await one?.stop();
  });

  /** The port of a second server, on 127.0.0.2, and that of its key exchange. */
  async function startAnother(): Promise<{ port: number; ntsPort: number }> {
    const [port, ntsPort] = [await heldUdpPort(), await heldPort()];
    const lines = ntsLines(scratchDirectory(), ntsPort, authority.certify("127.0.0.2"));
    await start("local stratum 2", `port ${port}`, "bindaddress 127.0.0.2", "allow", lines);
    return { port, ntsPort };
  }

  it("has an authenticated majority with two of three, and says which", reaching("::1"), async () => {
    const another = await startAnother();
    const ofAnother = `${serverLine("127.0.0.2", another.port)} nts ntsport ${another.ntsPort}`;
    const client = await start(trusting(), ntsLine(), ofAnother, serverLine("::1", server.port));
    const report = await readWhile(client, /^(?=.*\*)[*+-]{3}$/, () => readWith(client));
    assert.deepEqual([report.trust, report.authenticated], ["trusted", true]);
    const marks = report.sources.map(({ id, nts, authenticated }) => `${id} ${nts} ${authenticated}`);
    assert.deepEqual(marks, ["127.0.0.1 true true", "127.0.0.2 true true", "::1 false false"]);
  });

  it("calls a source that was never heard not authenticated, here one with a certificate of nobody's", async () => {
    const client = await start(ntsLine(), serverLine("127.0.0.2", await heldUdpPort()));
    const report = await readWhile(client, /^\?\?$/, () => readWith(client));
    const [source] = report.sources;
    assert.deepEqual([source?.nts, source?.authenticated, source?.state], [true, false, "unreachable"]);
    assert.equal(report.authenticated, false);
  });

  it("is reported without it where there is no root helper, or no answer of its", async () => {
    const client = await start(trusting(), ntsLine());
    await selecting(client, /^\*$/);
    const nothing = scratchDirectory();
    for (const helper of [absentHelper(), recordedHelper()]) {
      const { trouble, isReadOnly, trust, sources } = await readWith(client, helper, nothing);
      assert.deepEqual([trouble, isReadOnly, trust], [null, false, "accepted"]);
      assert.deepEqual([sources[0]?.nts, sources[0]?.authenticated, sources.length], [false, false, 1]);
    }
  });
});

// Printed by chronyc 4.3 (`-c -n authdata`); the second server's key exchange was refused, the third has no `nts`.
const printed = [
  "127.0.0.1,NTS,1,15,256,5,0,0,8,100",
  "127.0.0.2,NTS,0,0,0,4294967295,1,0,0,0",
  "127.0.0.3,-,0,0,0,4294967295,0,0,0,0",
];

describe("what chronyc authdata prints", () => {
  it("names the sources that are authenticated, and by what", () => {
    const keyed = "192.0.2.1,SK,30,13,128,4294967295,0,0,0,0";
    const found = [...(parseAuthdata([...printed, keyed].join("\n")) ?? [])].map((one) => one.join(" "));
    assert.deepEqual(found, ["127.0.0.1 nts", "127.0.0.2 nts", "127.0.0.3 none", "192.0.2.1 key"]);
  });

  for (const bad of ["501 Not authorised", `${printed[0]},1`, "127.0.0.1,TLS,1,15,256,5,0,0,8,100", " "])
    it(`is not believed with the line "${bad}"`, () => {
      assert.equal(parseAuthdata([...printed, bad].join("\n")), null);
    });
});

describe("the question for it", () => {
  const authdataFile = join(directory, "printed");
  const asking = (perform?: () => void) => {
    const time = createVirtualTime();
    const helper = recordedHelper(perform);
    const options = { run: createRunCommand(), helper, timers: time.hostTimers, authdataFile };
    return { read: createReadAuthentications(options), helper, time };
  };
  before(() => writeFileSync(authdataFile, printed.join("\n")));

  it("is put once for the same sources, and again after a quarter of an hour; not more often than every 15 s for a new one", async () => {
    const { read, helper, time } = asking();
    for (let times = 0; times < 3; times += 1) {
      assert.equal((await read(["127.0.0.1", "127.0.0.3"])).get("127.0.0.1"), "nts");
      time.pass(60);
    }
    assert.deepEqual(helper.orders, ["chrony authdata"]);
    time.pass(900);
    await read(["127.0.0.1"]);
    assert.equal(helper.orders.length, 2);
    time.pass(15);
    for (let second = 0; second < 40; second += 1) {
      assert.equal((await read(["127.0.0.9"])).get("127.0.0.9"), undefined);
      time.pass(1);
    }
    assert.equal(helper.orders.length, 5);
  });

  it("loses what was known after a quarter of an hour without an answer", async () => {
    let isAnswering = true;
    const { read, time } = asking(() => assert.ok(isAnswering));
    assert.equal((await read(["127.0.0.1"])).get("127.0.0.1"), "nts");
    isAnswering = false;
    time.pass(901);
    assert.equal((await read(["127.0.0.1"])).get("127.0.0.1"), undefined);
  });
});

it("the file with the answer can be read by the agent's user, whatever the unit's umask", async () => {
  const client = await startChronyClient("local stratum 10");
  try {
    const answers = scratchDirectory();
    chmodSync(answers, 0o755);
    runUnit("authdata", client.socket, answers);
    assert.equal(statSync(join(answers, "authdata")).mode & 0o777, 0o644);
    assert.throws(() => runUnit("clients", client.socket, answers), /no verb of ours: clients/);
  } finally {
    await client.stop();
  }
});

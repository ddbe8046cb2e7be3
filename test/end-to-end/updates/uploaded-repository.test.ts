import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { type ClientRequest, request } from "node:http";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { runSteward } from "../../../lab/agents/agent-in-process.ts";
import type { SignedIn } from "../../../lab/agents/checked-agent.ts";
import { outcome } from "../../../lab/agents/running-agent.ts";
import { endOfSuite } from "../../../lab/basics/ending.ts";
import { scratchDirectory } from "../../../lab/basics/scratch.ts";
import { until } from "../../../lab/basics/until.ts";
import { SignedRepository } from "../../../lab/publisher/signed-repository.ts";
import { type Publisher, startPublisher, startUpdatingAgent, type UpdatingAgent } from "./updating-agent.ts";

describe("a repository that is sent as a file", () => {
  const ending = endOfSuite();
  const scratch = scratchDirectory();
  let publisher: Publisher;
  let agent: UpdatingAgent;
  let operator: SignedIn;
  let archive: Buffer;
  let uploaded: string;

  /** Debian's tar of a repository. */
  const packed = async (repository: SignedRepository, name: string): Promise<Buffer> => {
    const place = join(scratch, name);
    mkdirSync(place);
    await repository.writeTo(place);
    const file = `${place}.tar`;
    execFileSync("tar", ["-cf", file, "."], { cwd: place });
    return readFileSync(file);
  };

  before(async () => {
    publisher = await startPublisher(ending);
    publisher.repository.addRelease({ version: "1.0.0" });
    publisher.repository.publish("rules");
    agent = await startUpdatingAgent();
    await agent.signedInAdmin();
    operator = await agent.signedIn("olga", "operator");
    archive = await packed(publisher.repository, "whole");
    uploaded = join(agent.stateDirectory, "updates/uploaded");
    await agent.install(publisher.repository.metadata("1.root"));
  });
  after(() => agent.dispose());

  interface Answered {
    readonly status: number;
    // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
    readonly json: any;
  }

  /** `begin` sends the body; what it does not send is not sent after the answer either. */
  const put = (token: string | undefined, length: number, begin: (sent: ClientRequest) => void) =>
    new Promise<Answered>((resolve, reject) => {
      const headers = {
        ...{ "content-type": "application/octet-stream", "content-length": length },
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
      };
      const target = { host: "127.0.0.1", port: agent.port, path: "/api/updates/repository", agent: false };
      const sent = request({ ...target, method: "PUT", headers }, async (response) => {
        const pieces: Buffer[] = [];
        for await (const piece of response) pieces.push(piece);
        resolve({ status: response.statusCode ?? 0, json: JSON.parse(Buffer.concat(pieces).toString()) });
        sent.destroy();
      });
      sent.on("error", reject);
      begin(sent);
    });
  const send = (bytes: Buffer, token: string | undefined = operator.token) =>
    put(token, bytes.length, (sent) => sent.end(bytes));

  it("by a stranger or a reader is refused before a byte of it is read: 401, 403", async () => {
    const { token } = await agent.signedIn("rita", "readonly");
    for (const [who, expected] of [
      [undefined, 401],
      [token, 403],
    ] as const) {
      const { status } = await put(who, archive.length, (sent) => sent.flushHeaders());
      assert.equal(status, expected);
    }
    assert.ok(!existsSync(uploaded));
  });

  it("by an operator is checked and staged, without a server, and is not kept", async () => {
    const { status, json } = await send(archive);
    assert.equal(status, 202, JSON.stringify(json));
    const after = await agent.settled();
    assert.equal(after.schedule.last_check?.id, json.schedule.check_id);
    assert.equal(after.schedule.last_check?.outcome, "ok");
    assert.deepEqual([after.available.rules?.version, after.available.rules?.staged], ["1.0.0", true]);
    await until("it is removed", () => !existsSync(uploaded));
    const events = await agent.read("/api/events?limit=1&type=update.check_requested");
    assert.deepEqual(events.items[0].details, { repository: null, bytes: archive.length });
    assert.equal(events.items[0].actor.name, "olga");
  });

  it("of another publisher is refused by the signatures, as a server's is", async () => {
    const other = new SignedRepository();
    other.addRelease({ version: "9.0.0" });
    other.publish("rules");
    assert.equal((await send(await packed(other, "other"))).status, 202);
    const { schedule, available } = await agent.settled();
    assert.deepEqual(
      [schedule.last_check?.outcome, schedule.last_check?.code],
      ["failed", "update_signature_invalid"],
    );
    assert.equal(available.rules?.version, "1.0.0");
    await until("it is removed", () => !existsSync(uploaded));
  });

  it("that is no archive, or has a link in it, is 422, and nothing of it is left", async () => {
    const place = join(scratch, "link");
    mkdirSync(place);
    execFileSync("ln", ["-s", "/etc", join(place, "metadata")]);
    execFileSync("tar", ["-cf", `${place}.tar`, "metadata"], { cwd: place });
    for (const bytes of [Buffer.alloc(5_000, "no tar"), readFileSync(`${place}.tar`)]) {
      assert.equal(await outcome(send(bytes)), "422 update_archive_unusable");
    }
    assert.ok(!existsSync(uploaded));
  });

  it("that is larger than 4 GiB is 413 before a byte of it is read", async () => {
    const { status, json } = await put(operator.token, 4 * 1024 ** 3 + 1, (sent) => sent.flushHeaders());
    assert.deepEqual([status, json.code], [413, "payload_too_large"]);
    assert.match(json.detail, /4096 MiB/);
  });

  it("is sent by the command line: on the device, and from another machine with an API token", async () => {
    const file = join(scratch, "whole.tar");
    const body = { name: "laptop", scopes: ["updates:check", "system:read"], expires_in: "1d" };
    const { json } = await agent.call("POST", "/api/tokens", { token: operator.token, body });
    const tokenFile = join(scratch, "token");
    writeFileSync(tokenFile, json.token, { mode: 0o600 });
    const elsewhere = ["--url", `http://127.0.0.1:${agent.port}`, "--token-file", tokenFile];
    const sendings = [
      () => agent.run("update", "check", "--repo", file),
      () => runSteward(["update", "check", "--repo", file, ...elsewhere]),
    ];
    for (const sending of sendings) {
      const before = (await agent.settled()).schedule.last_check?.id;
      const { code, stdout, stderr } = await sending();
      assert.equal(code, 0, stderr);
      assert.match(stdout, /1\.0\.0/);
      assert.notEqual((await agent.status()).schedule.last_check?.id, before);
    }
  });

  it("that the command line cannot send is said in a sentence: too large, no tar, to be applied at once", async () => {
    const large = join(scratch, "large.tar");
    writeFileSync(large, "");
    truncateSync(large, 5 * 1024 ** 3);
    const begun = performance.now();
    const tooLarge = await agent.run("update", "check", "--repo", large);
    assert.equal(tooLarge.code, 6);
    assert.match(tooLarge.stderr, /larger than the 4096 MiB/);
    assert.ok(performance.now() - begun < 20_000, "it was sent");
    const text = join(scratch, "text.tar");
    writeFileSync(text, "no tar ".repeat(1_000));
    const noTar = await agent.run("update", "check", "--repo", text);
    assert.equal(noTar.code, 6);
    assert.match(noTar.stderr, /Send a tar of the publisher's repository/);
    const apply = await agent.run("update", "apply", "--repo", text, "--yes");
    assert.equal(apply.code, 2);
    assert.match(apply.stderr, /`steward update check --repo .*text\.tar` stages/);
  });
});

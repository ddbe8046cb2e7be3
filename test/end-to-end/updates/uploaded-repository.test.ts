import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { type ClientRequest, type IncomingMessage, request } from "node:http";
import { join } from "node:path";
import { before, describe, it } from "node:test";
import { runSteward } from "../../../lab/agents/agent-in-process.ts";
import type { SignedIn } from "../../../lab/agents/checked-agent.ts";
import { outcome } from "../../../lab/agents/running-agent.ts";
import { endOfSuite, ofSuite } from "../../../lab/basics/ending.ts";
import { scratchDirectory } from "../../../lab/basics/scratch.ts";
import { until } from "../../../lab/basics/until.ts";
import { SignedRepository } from "../../../lab/publisher/signed-repository.ts";
import { startPublisher, startUpdatingAgent } from "./updating-agent.ts";

describe("a repository that is sent as a file", () => {
  const ending = endOfSuite();
  const scratch = scratchDirectory();
  const publisher = ofSuite(() => startPublisher(ending));
  const agent = ofSuite(() => startUpdatingAgent());
  let operator: SignedIn;
  let archive: Buffer;
  let uploaded: string;

  /** Debian's tar of a repository. */
  const packed = async (repository: SignedRepository, name: string): Promise<Buffer> => {
    const place = join(scratch, name);
    mkdirSync(place);
    await repository.writeTo(place);
    execFileSync("tar", ["-cf", `${place}.tar`, "."], { cwd: place });
    return readFileSync(`${place}.tar`);
  };

  before(async () => {
    publisher.repository.addRelease({ version: "1.0.0" });
    publisher.repository.publish("rules");
    await agent.signedInAdmin();
    operator = await agent.signedIn("olga", "operator");
    archive = await packed(publisher.repository, "whole");
    uploaded = join(agent.stateDirectory, "updates/uploaded");
    await agent.install(publisher.repository.metadata("1.root"));
  });

  /** `begin` sends the body; what it does not send is not sent after the answer either. */
  const put = async (token: string | undefined, length: number, begin: (sent: ClientRequest) => void) => {
    const headers = {
      ...{ "content-type": "application/octet-stream", "content-length": length },
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    };
    const target = { host: "127.0.0.1", port: agent.port, path: "/api/updates/repository", agent: false };
    const sent = request({ ...target, method: "PUT", headers });
    begin(sent);
    const [response] = (await once(sent, "response")) as [IncomingMessage];
    const json = JSON.parse(Buffer.concat(await response.toArray()).toString());
    sent.destroy();
    return { status: response.statusCode ?? 0, json };
  };
  const send = (bytes: Buffer) => put(operator.token, bytes.length, (sent) => sent.end(bytes));

  it("by a stranger or a reader, or larger than 4 GiB, is refused before a byte of it is read", async () => {
    const { token } = await agent.signedIn("rita", "readonly");
    for (const [who, length, expected] of [
      [undefined, archive.length, "401 authentication_required"],
      [token, archive.length, "403 forbidden"],
      [operator.token, 4 * 1024 ** 3 + 1, "413 payload_too_large"],
    ] as const)
      assert.equal(await outcome(put(who, length, (sent) => sent.flushHeaders())), expected);
    assert.ok(!existsSync(uploaded));
  });

  it("by an operator is checked and staged, without a server, and is not kept", async () => {
    const { status, json } = await send(archive);
    assert.equal(status, 202, JSON.stringify(json));
    const { schedule, available } = await agent.settled();
    const { id, outcome: end } = schedule.last_check ?? {};
    assert.deepEqual([id, end], [json.schedule.check_id, "ok"]);
    assert.deepEqual([available.rules?.version, available.rules?.staged], ["1.0.0", true]);
    await until("it is removed", () => !existsSync(uploaded));
    const [{ actor, details }] = (await agent.read("/api/events?type=update.check_requested")).items;
    assert.deepEqual([actor.name, details], ["olga", { repository: null, bytes: archive.length }]);
  });

  it("that is no archive, or another publisher's, is refused, and nothing of it is left", async () => {
    assert.equal(await outcome(send(Buffer.alloc(5_000, "no tar"))), "422 update_archive_unusable");
    assert.ok(!existsSync(uploaded));
    const other = new SignedRepository();
    other.addRelease({ version: "9.0.0" });
    other.publish("rules");
    assert.equal((await send(await packed(other, "other"))).status, 202);
    const { schedule, available } = await agent.settled();
    const found = [schedule.last_check?.code, available.rules?.version];
    assert.deepEqual(found, ["update_signature_invalid", "1.0.0"]);
    await until("it is removed", () => !existsSync(uploaded));
  });

  it("is sent by the command line: on the device, and from another machine with an API token", async () => {
    const file = join(scratch, "whole.tar");
    const body = { name: "laptop", scopes: ["updates:check", "system:read"], expires_in: "1d" };
    const { json } = await agent.call("POST", "/api/tokens", { token: operator.token, body });
    const tokenFile = join(scratch, "token");
    writeFileSync(tokenFile, json.token, { mode: 0o600 });
    const elsewhere = ["--url", `http://127.0.0.1:${agent.port}`, "--token-file", tokenFile];
    for (const sending of [
      () => agent.run("update", "check", "--repo", file),
      () => runSteward(["update", "check", "--repo", file, ...elsewhere]),
    ]) {
      const before = (await agent.settled()).schedule.last_check?.id;
      const { code, stdout, stderr } = await sending();
      assert.equal(code, 0, stderr);
      assert.match(stdout, /1\.0\.0/);
      assert.notEqual((await agent.status()).schedule.last_check?.id, before);
    }
  });

  it("that the command line cannot send is said in a sentence: too large, no tar, to be applied at once", async () => {
    const [large, text] = [join(scratch, "large.tar"), join(scratch, "text.tar")];
    writeFileSync(large, "");
    truncateSync(large, 5 * 1024 ** 3);
    writeFileSync(text, "no tar ".repeat(1_000));
    for (const [file, words, exit, says] of [
      [large, ["check"], 6, /larger than the 4096 MiB/],
      [text, ["check"], 6, /Send a tar of the publisher's repository/],
      [text, ["apply", "--yes"], 2, /`steward update check --repo .*text\.tar` stages/],
    ] as const) {
      const { code, stderr } = await agent.run("update", ...words, "--repo", file);
      assert.equal(code, exit, stderr);
      assert.match(stderr, says);
    }
  });
});

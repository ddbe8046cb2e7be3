import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { createServer } from "node:tls";
import { startAgentProcess } from "../../lab/agents/running-agent.ts";
import { atEnd, endOfSuite } from "../../lab/basics/ending.ts";
import { scratchDirectory } from "../../lab/basics/scratch.ts";
import { until } from "../../lab/basics/until.ts";
import { createAuthority } from "../../lab/host/certificates.ts";
import { mailUser, startMailServer } from "../../lab/host/mail-server.ts";
import { readSyslog } from "../../lab/host/syslog-frames.ts";
import { listening } from "../../lab/host/web-server.ts";

const authority = createAuthority(scratchDirectory());
const certificate = authority.certify("127.0.0.1");

describe("the built agent", () => {
  const ending = endOfSuite();
  const pieces: Buffer[] = [];

  it("sends an event as mail and as a syslog message, and shows that both arrived", async () => {
    const mailbox = await startMailServer(certificate);
    atEnd(ending, () => mailbox.stop());
    /** A server of RFC 5425 that reads to the end and then closes. */
    const server = createServer(certificate, (socket) => {
      socket.on("error", () => undefined);
      socket.on("data", (piece) => pieces.push(piece));
    });
    const syslog = await listening(server as never, "tls", []);
    atEnd(ending, () => syslog.stop());
    const hostFile = join(scratchDirectory(), "steward.json");
    const telemetry = { syslog: { server: "127.0.0.1", port: syslog.port, ca_file: authority.path } };
    const host = JSON.stringify({ notify: { allow_local_servers: true }, telemetry });
    writeFileSync(hostFile, host, { mode: 0o600 });
    const agent = await startAgentProcess({
      arguments: ["--host-file", hostFile],
      // The device trusts the test's authority as those of the system.
      environment: { NODE_EXTRA_CA_CERTS: authority.path },
    });
    atEnd(ending, () => agent.dispose());
    const { id } = await agent.signedInAdmin();
    const call = async (method: string, path: string, body?: object) => {
      const answer = await agent.call(method, path, { local: true, ...(body && { body }) });
      assert.ok(answer.status < 300, `${method} ${path}: ${answer.text}`);
      return answer.json;
    };
    const { username, password } = mailUser;
    const duty = {
      ...{ name: "duty", kind: "mail", server: "127.0.0.1", port: mailbox.port, security: "starttls" },
      ...{ username, from: "steward@plant.example", to: ["owner@plant.example"], takes: "all" },
    };
    await call("PUT", "/api/system", { device: { name: "Boiler house" }, notify: { receivers: [duty] } });
    await call("PUT", "/api/notifications/duty/secret", { secret: password });
    const receivers = async (): Promise<readonly Record<string, unknown>[]> =>
      (await agent.read("/api/notifications")).receivers;
    // Receivers begin at the newest event, two seconds after the start.
    const isBegun = async () => (await call("POST", "/api/notifications/duty/test")).ok;
    await until("both are begun", isBegun);
    await until("the test is there", () => mailbox.mails.splice(0).length > 0);
    await call("POST", `/api/users/${id}/password-reset`, { password: "four gulls beside a crane" });
    // On a slow machine with that of the secret before it, in one mail.
    const mail = () =>
      mailbox.mails.find(({ text }) => /password.*root-admin|root-admin.*password/is.test(text));
    await until("the mail is there", () => mail() !== undefined);
    const { headers, user, isEncrypted } = mail() ?? assert.fail();
    assert.deepEqual([user, isEncrypted], [username, true]);
    assert.match(headers.subject ?? "", /^\[Boiler house\] /);
    const reset = () =>
      readSyslog(Buffer.concat(pieces)).find(({ msgId }) => msgId === "user.password_reset");
    await until("the syslog message is there", () => reset() !== undefined);
    const { priority, parameters } = reset() ?? assert.fail();
    assert.equal(priority, 13 * 8 + 6);
    assert.ok(parameters.some(([name, value]) => name === "subject_id" && value === id));
    const isAll = async () => (await receivers()).every(({ waiting }) => waiting === 0);
    await until("both are acknowledged", isAll);
    const ends = (await receivers()).map((one) => [one.name, one.last_error, one.last_success !== null]);
    assert.deepEqual(ends, [
      ["duty", null, true],
      ["syslog", null, true],
    ]);
  });
});

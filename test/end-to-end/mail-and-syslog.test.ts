import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { createServer, type Server } from "node:tls";
import { type AgentProcess, startAgentProcess } from "../../lab/agents/running-agent.ts";
import { scratchDirectory } from "../../lab/basics/scratch.ts";
import { until } from "../../lab/basics/until.ts";
import { createAuthority } from "../../lab/host/certificates.ts";
import { type MailServer, mailUser, startMailServer } from "../../lab/host/mail-server.ts";
import { readSyslog } from "../../lab/host/syslog-frames.ts";
import { listening, type WebServer } from "../../lab/host/web-server.ts";

const etc = scratchDirectory();
const authority = createAuthority(etc);
const certificate = authority.certify("127.0.0.1");

/** A server of RFC 5425 that reads to the end and then closes. */
async function startSyslogServer(pieces: Buffer[]): Promise<WebServer> {
  const server: Server = createServer(certificate, (socket) => {
    socket.on("error", () => undefined);
    socket.on("data", (piece) => pieces.push(piece));
  });
  return listening(server as never, "tls", []);
}

describe("the built agent", () => {
  const pieces: Buffer[] = [];
  let mailbox: MailServer;
  let syslog: WebServer;
  let agent: AgentProcess;
  let admin: { readonly id: string };
  before(async () => {
    mailbox = await startMailServer(certificate);
    syslog = await startSyslogServer(pieces);
    const hostFile = join(etc, "steward.json");
    const telemetry = { syslog: { server: "127.0.0.1", port: syslog.port, ca_file: authority.path } };
    writeFileSync(hostFile, JSON.stringify({ notify: { allow_local_servers: true }, telemetry }), {
      mode: 0o600,
    });
    agent = await startAgentProcess({
      arguments: ["--host-file", hostFile],
      // The device trusts the test's authority as those of the system.
      environment: { NODE_EXTRA_CA_CERTS: authority.path },
    });
    admin = await agent.signedInAdmin();
  });
  after(async () => {
    await agent.dispose();
    await mailbox.stop();
    await syslog.stop();
  });

  it("sends an event as mail and as a syslog message, and shows that both arrived", async () => {
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
      (await call("GET", "/api/notifications")).receivers;
    // Receivers begin at the newest event, two seconds after the start.
    await until("both are begun", async () => {
      const { ok } = await call("POST", "/api/notifications/duty/test");
      return ok;
    });
    await until("the test is there", () => mailbox.mails.splice(0).length > 0);
    await call("POST", `/api/users/${admin.id}/password-reset`, { password: "four gulls beside a crane" });
    await until("the mail is there", () => mailbox.mails.length > 0);
    const [{ headers, text, user, isEncrypted } = assert.fail()] = mailbox.mails;
    assert.deepEqual([user, isEncrypted], [username, true]);
    assert.match(headers.subject ?? "", /^\[Boiler house\] .*password/i);
    assert.match(text, /root-admin/);
    const reset = () =>
      readSyslog(Buffer.concat(pieces)).find(({ msgId }) => msgId === "user.password_reset");
    await until("the syslog message is there", () => reset() !== undefined);
    const { priority, parameters } = reset() ?? assert.fail();
    assert.equal(priority, 13 * 8 + 6);
    assert.ok(parameters.some(([name, value]) => name === "subject_id" && value === admin.id));
    await until("both are acknowledged", async () =>
      (await receivers()).every(({ waiting }) => waiting === 0),
    );
    assert.deepEqual(
      (await receivers()).map(({ name, last_error, last_success }) => [
        name,
        last_error,
        last_success !== null,
      ]),
      [
        ["duty", null, true],
        ["syslog", null, true],
      ],
    );
  });
});

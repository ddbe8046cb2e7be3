import assert from "node:assert/strict";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { connect } from "node:net";
import { describe, it, type TestContext } from "node:test";
import { createSecureContext } from "node:tls";
import { mailUser } from "../../lab/host/mail-server.ts";
import { messageOf, noticeOf } from "../../lab/host/messages.ts";
import { type MailScript, type MailStep, startScriptedMail } from "../../lab/host/scripted-mail-server.ts";
import { createServerConnections } from "../../src/host/linux/transfers/connections.ts";
import { createMail } from "../../src/outbox/mail.ts";
import { greetingOf, type Mail, sendMail } from "../../src/outbox/smtp.ts";
import { SmtpFailure, smtpOutcome } from "../../src/outbox/smtp-failures.ts";
import { authority, during, errorOf, good, unending } from "./fixture.ts";

const connections = createServerConnections({ allowLocalServers: true, caFile: authority.path });

const scripted = (test: TestContext, script: MailScript, extensions: readonly string[] = []) =>
  during(test, startScriptedMail(good, script, extensions));

async function deliveredTo(test: TestContext, script: MailScript, extensions: readonly string[]) {
  const { port } = await scripted(test, script, extensions);
  const mail = createMail({
    ...{ server: "127.0.0.1", port, security: "starttls", ...mailUser, connections },
    ...{ from: "steward@plant.example", to: ["owner@plant.example"], hostName: () => "edge-7" },
    ...{ wall: () => 0, uptime: () => 0 },
  });
  return mail.deliver(messageOf([noticeOf(7)]), unending);
}

/** The replies are those of Postfix, Exim, Google, Microsoft and RFC 5321. */
const table: readonly (readonly [MailStep, string, RegExp])[] = [
  ["greeting", "421 4.3.2 too many connections", /does not take the mail at present: “421 /],
  ["greeting", "554 5.7.1 client host blocked", /takes no mail from this device: “554 5\.7\.1 client/],
  ["greeting", "close", / cannot be used: it closed the connection\. Nothing was sent\. Check/],
  [
    "EHLO",
    "421-4.7.0 Try again later, closing connection. (EHLO)\r\n421 4.7.0 More: support.example",
    /takes no mail at present from this device, which greets it as \[127\.0\.0\.1\]: “421-4\.7\.0 Try again .* whether it accepts this name/,
  ],
  ["EHLO", "501 5.5.2 need fully-qualified hostname", /did not accept \[127\.0\.0\.1\], the name that/],
  ["EHLO", "550 5.7.1 Access denied", /did not accept \[127\.0\.0\.1\], the name that/],
  ["EHLO", "554 5.7.1 Helo command rejected", /did not accept .*let root give this device a host name/],
  ["EHLO", "502 5.5.1 Unrecognized command", /did not encrypt the connection: “502 /],
  ["EHLO", "close", /closed the connection at EHLO, and has not taken the mail/],
  ["STARTTLS", "454 4.7.0 TLS not available", /did not encrypt the connection: “454 .*If that lasts, ask/],
  ["STARTTLS", "502 5.5.1 not implemented", /did not encrypt the connection: “502 .*someone between/],
  ["AUTH", "421 4.7.0 Too many errors", /cannot check the sign-in at present: “421 /],
  ["AUTH", "432 4.3.2 Concurrent connections limit exceeded", /cannot check the sign-in at present: “432/],
  ["AUTH", "454 4.7.0 Temporary authentication failure", /cannot check .*: “454 .*If that lasts, ask/],
  ["AUTH", "502 5.5.1 AUTH not supported", /offers no sign-in with a user name and a password here: “502/],
  ["AUTH", "503 5.5.1 authentication not enabled", /offers no sign-in .*or leave out the user name/],
  ["AUTH", "504 5.7.4 Unrecognized authentication type", /offers no sign-in .*the kind of account/],
  ["AUTH", "535 5.7.8 Error: authentication failed", /did not accept the user name and the password: “535 /],
  [
    "AUTH",
    "535 5.7.139 Authentication unsuccessful, SmtpClientAuthentication is disabled for the Tenant.",
    /: “535 5\.7\.139 .*disabled for the Tenant\.”\. No mail was sent\. .*switched this kind of sign-in off/,
  ],
  [
    "AUTH",
    "534-5.7.9 Application-specific password required.\r\n534 5.7.9 https://support.example",
    /did not accept .*“534-5\.7\.9 Application-specific .*wants an app password/,
  ],
  ["AUTH", "close", /closed the connection at AUTH, and has not taken the mail/],
  ["MAIL FROM", "421 4.7.0 closing", /does not take the mail at present: “421 4\.7\.0 closing”/],
  ["MAIL FROM", "451 4.3.0 try later", /does not take the mail at present: “451 4\.3\.0 try later”/],
  ["MAIL FROM", "530 5.7.0 Authentication Required", /takes mail only after a sign-in: “530 /],
  ["MAIL FROM", "550 5.7.60 no permissions to send as this sender", /refused the sender: “550 5\.7\.60/],
  ["MAIL FROM", "553 5.7.1 Sender address rejected: not owned", /refused the sender: “553 .*Set a sender/],
  ["MAIL FROM", "close", /closed the connection at MAIL FROM, and has not taken the mail/],
  ["RCPT TO", "421 4.7.0 closing", /does not take the mail at present: “421 4\.7\.0 closing”/],
  ["RCPT TO", "450 4.2.0 Greylisted", /does not take the mail at present: “450 4\.2\.0 Greylisted”/],
  ["RCPT TO", "451 4.7.1 Greylisting in action", /does not take the mail at present: “451 /],
  ["RCPT TO", "452 4.2.2 mailbox full", /does not take the mail at present: “452 /],
  ["RCPT TO", "530 5.7.1 Authentication required", /takes mail only after a sign-in: “530 /],
  ["RCPT TO", "550 5.1.1 No such user", /refused the recipients: “550 5\.1\.1 No such user”\. Check the rec/],
  ["RCPT TO", "554 5.7.1 Relay access denied", /refused the recipients: “554 .*wants a user name and a pas/],
  ["DATA", "451 4.3.0 try later", /does not take the mail at present: “451 4\.3\.0 try later”/],
  ["DATA", "554 5.5.1 no valid recipients", /refused the mail: “554 5\.5\.1 no valid/],
  ["end", "421 4.4.2 timeout", /does not take the mail at present: “421 4\.4\.2 timeout”/],
  ["end", "452 4.3.1 Insufficient system storage", /does not take the mail at present: “452 /],
  ["end", "552 5.2.2 mailbox full", /refused the mail: “552 5\.2\.2 mailbox full”\. Ask who runs/],
  ["end", "554 5.7.1 Message rejected: address is not verified", /refused the mail: “554 5\.7\.1 Message/],
  ["end", "close", /closed the connection after the mail was sent .* sent again and may arrive twice/],
];

for (const [name, extensions] of [
  ["a mail server", []],
  ["a mail server with PIPELINING", ["PIPELINING", "8BITMIME", "SIZE 10240000"]],
] as const)
  describe(name, () => {
    for (const [step, reply, expected] of table)
      it(`that says ${reply.split("\r\n")[0]} at ${step} gets the mail again later`, async (test) => {
        const delivery = await deliveredTo(test, { [step]: reply }, extensions);
        assert.match(errorOf(delivery), expected);
      });

    for (const reply of ["552 5.3.4 Message size exceeds fixed limit", "554 5.6.0 Message contains bare LF"])
      it(`that can never take this mail (${reply.slice(0, 9)}) has refused it`, async (test) => {
        const delivery = await deliveredTo(test, { end: reply }, extensions);
        const error = errorOf(delivery, "refused");
        assert.deepEqual(delivery, { outcome: "refused", answer: reply, error });
        assert.match(error, /can never take this mail: “55.*not sent again/);
      });
  });

describe("a mail server that is silent", () => {
  for (const step of ["greeting", "EHLO", "STARTTLS", "AUTH", "MAIL FROM", "RCPT TO", "DATA", "end"] as const)
    it(`at ${step} is known to be so there`, async (test) => {
      const ending = new AbortController();
      const late = new DOMException("", "TimeoutError");
      let isThere: () => void = () => undefined;
      const there = new Promise<void>((resolve) => {
        isThere = resolve;
      });
      const { port } = await scripted(test, { [step]: isThere });
      const failing = (await session(port, ending)).sent.catch((error: unknown) => error);
      await there;
      ending.abort(late);
      const failure = await failing;
      assert.ok(failure instanceof SmtpFailure, String(failure));
      assert.deepEqual([failure.session.step, failure.session.reply, failure.cause], [step, undefined, late]);
      const delivery = smtpOutcome("mail.example:587", failure, () => assert.fail());
      assert.ok(delivery.outcome === "retry");
      assert.match(
        delivery.error,
        step === "end"
          ? /^mail\.example:587 did not answer in time after the mail was sent .* may arrive twice/
          : /^mail\.example:587 did not answer in time\. .* It was silent at /,
      );
    });
});

describe("the greeting", () => {
  const address = "[192.0.2.7]";
  const greetings: readonly (readonly [hostName: string, expected: string])[] = [
    ["edge-7.plant.example", "edge-7.plant.example"],
    ["edge-7", address],
    ["edge-7.local", address],
    ["edge-7.fritz.LAN", address],
    ["localhost.localdomain", address],
    ["edge_7.plant.example", address],
    ["edge-7.plant.example.", address],
    ["edge-7..example", address],
    ["10.0.0.7", address],
    ["edge 7.example\r\nMAIL FROM:<thief@evil.example>", address],
    ["", address],
  ];
  for (const [hostName, expected] of greetings)
    it(`of the host ${JSON.stringify(hostName)} is ${expected}`, () =>
      assert.equal(greetingOf(hostName, "192.0.2.7"), expected));

  it("has the address of its end of the connection, as RFC 5321 §4.1.3 writes it", () => {
    assert.equal(greetingOf("edge-7", "2001:db8::7"), "[IPv6:2001:db8::7]");
    assert.equal(greetingOf("edge-7", "fe80::1%eth0"), "[IPv6:fe80::1]");
    assert.equal(greetingOf("edge-7", "::ffff:192.0.2.7"), address);
  });

  it("is said before and within TLS", async (test) => {
    const { port, lines } = await scripted(test, {});
    const { sent } = await session(port, new AbortController(), "edge-7.plant.example");
    assert.equal((await sent).reply, "250 2.0.0 Ok: queued as 4F2A");
    const greeting = "EHLO edge-7.plant.example";
    assert.deepEqual(lines.slice(0, 3), [greeting, "STARTTLS", greeting]);
  });
});

const mail: Mail = {
  from: { name: "Boiler house", address: "steward@plant.example" },
  ...{ to: ["owner@plant.example"], recipients: ["owner@plant.example"], subject: "To do", text: "3 %" },
  ...{ messageId: "1@plant.example", references: [], date: new Date(0), isImportant: false },
};

async function session(port: number, { signal }: AbortController, hostName = "edge-7") {
  const socket = connect(port, "127.0.0.1");
  await once(socket, "connect");
  signal.addEventListener("abort", () => socket.destroy());
  const authorities = createSecureContext({ ca: readFileSync(authority.path) });
  const server = {
    server: "127.0.0.1",
    security: "starttls" as const,
    ...mailUser,
    hostName: () => hostName,
  };
  return { sent: sendMail({ ...server, socket, authorities }, mail, signal) };
}

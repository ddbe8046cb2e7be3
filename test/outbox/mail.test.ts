import assert from "node:assert/strict";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { afterEach, describe, it } from "node:test";
import type { SMTPServerOptions } from "smtp-server";
import { scratchDirectory } from "../../lab/basics/scratch.ts";
import { createAuthority } from "../../lab/host/certificates.ts";
import { type MailServer, mailUser, startMailServer, stripStartTls } from "../../lab/host/mail-server.ts";
import { deviceId, messageOf, noticeOf, testMessage } from "../../lab/host/messages.ts";
import { createServerConnections } from "../../src/host/linux/transfers/connections.ts";
import { createMail, type MailOptions } from "../../src/outbox/mail.ts";
import { createNeedMails } from "../../src/outbox/need-mails.ts";
import type { Delivery, Message } from "../../src/outbox/receiver.ts";

const authority = createAuthority(scratchDirectory());
const good = authority.certify("127.0.0.1");
const ending: { stop: () => Promise<void> }[] = [];

afterEach(async () => {
  for (const one of ending.splice(0)) await one.stop();
});

async function serving(
  options: Parameters<typeof startMailServer>[1] = {},
  certificate = good,
): Promise<MailServer> {
  const server = await startMailServer(certificate, options);
  ending.push(server);
  return server;
}

const usual: Omit<MailOptions, "port"> = {
  ...{ server: "127.0.0.1", security: "starttls", ...mailUser },
  ...{ from: "steward@plant.example", to: ["owner@plant.example"] },
  connections: createServerConnections({ allowLocalServers: true, caFile: authority.path }),
  ...{ wall: () => Date.parse("2026-11-27T10:05:00Z"), uptime: () => 0, hostName: () => "edge-7" },
};

function deliver(
  port: number,
  message: Message,
  changes: Partial<MailOptions> = {},
  signal = new AbortController().signal,
): Promise<Delivery> {
  return createMail({ ...usual, port, ...changes }).deliver(message, signal);
}

function errorOf(delivery: Delivery, outcome: "retry" | "refused" = "retry"): string {
  assert.equal(delivery.outcome, outcome, JSON.stringify(delivery));
  return "error" in delivery ? delivery.error : "";
}

const began = messageOf([noticeOf(7)]);

describe("a mail", () => {
  for (const security of ["starttls", "tls"] as const) {
    it(`arrives over ${security}, signed in and encrypted, with an id that is the message's`, async () => {
      const { port, mails } = await serving({ secure: security === "tls" });
      const delivery = await deliver(port, began, { security });
      assert.deepEqual(delivery, { outcome: "taken", answer: "250 Ok: queued as 4F2A" });
      const [mail = assert.fail()] = mails;
      assert.deepEqual([mail.user, mail.isEncrypted], [mailUser.username, true]);
      assert.deepEqual([mail.from, mail.to], ["steward@plant.example", ["owner@plant.example"]]);
      assert.equal(mail.headers["message-id"], `<${deviceId}-7-7@plant.example>`);
      assert.equal(mail.headers.from, "Boiler house <steward@plant.example>");
      assert.equal(mail.headers.subject, "[Boiler house] To do: the disk is nearly full");
      assert.equal(mail.headers.date, "Fri, 27 Nov 2026 10:05:00 +0000");
      assert.equal(mail.headers["auto-submitted"], "auto-generated");
      assert.match(
        mail.text,
        /^2026-11-27 10:00:07 UTC\nTo do: the disk is nearly full\n3 % are free\. Delete logs\.\n\n-- \nBoiler house, /,
      );
    });
  }

  for (const security of ["starttls", "tls"] as const)
    it(`arrives over ${security} through a proxy, whose answer may come in one piece with the server's first`, async () => {
      const certificate = authority.certify("mail.example");
      const { port, mails } = await serving({ secure: security === "tls" }, certificate);
      let asked = "";
      const open: Socket[] = [];
      const proxy = createServer((client) => {
        open.push(client);
        client.once("data", (head) => {
          asked = head.toString("latin1").split("\r\n")[0] ?? "";
          const server = connect(port, "127.0.0.1");
          const answer = "HTTP/1.1 200 Connection established\r\n\r\n";
          const begin = (first: Buffer | string): void => {
            client.write(`${answer}${first.toString("latin1")}`);
            client.pipe(server).pipe(client);
          };
          // A mail server speaks first, unless TLS is there from the first byte.
          if (security === "tls") begin("");
          else server.once("data", begin);
        });
      });
      await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
      ending.push({
        stop: async () => {
          for (const client of open) client.destroy();
          await new Promise((resolve) => proxy.close(resolve));
        },
      });
      const connections = createServerConnections({
        ...{ allowLocalServers: false, caFile: authority.path },
        proxy: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
      });
      const delivery = await deliver(port, began, { server: "mail.example", security, connections });
      assert.deepEqual(delivery, { outcome: "taken", answer: "250 Ok: queued as 4F2A" });
      assert.deepEqual([asked, mails.length], [`CONNECT mail.example:${port} HTTP/1.1`, 1]);
    });

  it("needs no sign-in where no user name is set", async () => {
    const { port, mails } = await serving();
    assert.equal((await deliver(port, began, { username: null, password: null })).outcome, "taken");
    assert.deepEqual([mails[0]?.user, mails[0]?.isEncrypted], [undefined, true]);
  });

  it("has letters of every kind, and a name cannot add a header", async () => {
    const { port, mails } = await serving();
    const name = "Heizhaus Süd 🌡\r\nBcc: thief@evil.example";
    const message = messageOf([noticeOf(7, { title: "Zu prüfen: “40 °C”", text: "40 °C\n.\nDATA" })], {
      device: { id: deviceId, name },
    });
    assert.equal((await deliver(port, message)).outcome, "taken");
    const [{ headers, text, to } = assert.fail()] = mails;
    assert.equal(headers.subject, "[Heizhaus Süd 🌡 Bcc: thief@evil.example] Zu prüfen: “40 °C”");
    assert.equal(headers.bcc, undefined);
    assert.deepEqual(to, ["owner@plant.example"]);
    assert.match(text, /Zu prüfen: “40 °C”\n40 °C\n\.\nDATA\n/);
  });

  it("of a test says so, and one of a storm says how many there were and what is missing", async () => {
    const { port, mails } = await serving();
    await deliver(port, testMessage());
    const notices = [noticeOf(7, { level: "grave", title: "The clock is lost" }), noticeOf(8)];
    const storm = { count: 70, counts: { "need.began": 69, "clock.lost": 1 }, gap: { from: 3, to: 6 } };
    await deliver(port, messageOf(notices, storm));
    const [test = assert.fail(), stormy = assert.fail()] = mails;
    assert.equal(test.headers.subject, "[Boiler house] Test message");
    assert.match(test.text, /Nothing has happened/);
    assert.equal(stormy.headers.subject, "[Boiler house] The clock is lost, and 69 more");
    assert.equal(stormy.headers.importance, "high");
    assert.match(
      stormy.text,
      /^70 events happened; the 2 gravest and newest follow\. By type: need\.began 69, clock\.lost 1\./,
    );
    assert.match(stormy.text, /Events 3 to 6, or some of them, did not reach everyone/);
  });

  it("about the end of a need refers to that of its beginning, and none is sent where all was mailed", async () => {
    const { port, mails } = await serving();
    const mail = createMail({ ...usual, port });
    const flapping = ["began", "ended", "began", "ended"] as const;
    const { signal } = new AbortController();
    const answers = [];
    for (const [index, what] of flapping.entries())
      answers.push(await mail.deliver(messageOf([noticeOf(index + 1, { type: `need.${what}` })]), signal));
    assert.match(JSON.stringify(answers[3]), /^{"outcome":"taken","answer":"Not mailed: /);
    const [began = assert.fail(), ended = assert.fail(), again = assert.fail()] = mails;
    assert.equal(mails.length, 3);
    assert.ok(ended.headers.references?.includes(began.headers["message-id"] ?? "no id"));
    assert.equal(ended.headers["in-reply-to"], began.headers["message-id"]);
    assert.match(again.text, /It is not mailed again before the day is over/);
  });
});

describe("a mail to several recipients", () => {
  /** A server with these replies to recipients, and a mail receiver of three. */
  async function three() {
    const replies: Record<string, string> = {};
    const server = await serving({ refusal: (to) => replies[to.split("@")[0] ?? ""] ?? null });
    let now = 0;
    const to = ["anna", "ben", "eve"].map((name) => `${name}@plant.example`);
    const mail = createMail({ ...usual, port: server.port, to, uptime: () => now });
    return {
      ...{ replies, mails: server.mails, where: `127.0.0.1:${server.port}` },
      wait: (seconds: number): void => {
        now += seconds;
      },
      deliver: (message: Message = began) => mail.deliver(message, new AbortController().signal),
      envelopes: () => server.mails.map((one) => one.to.map((address) => address.split("@")[0]).join(" ")),
    };
  }

  it("is refused where one is, and the error names them", async () => {
    const { replies, where, deliver, envelopes } = await three();
    replies.ben = "550 5.1.1 No such user";
    assert.deepEqual(await deliver(), {
      ...{ outcome: "refused", answer: "250 Ok: queued as 4F2A", events: 1 },
      error: `${where} took the mail, but not for ben@plant.example: “550 5.1.1 No such user”. It is not sent to them again. Check the recipients (to).`,
    });
    assert.deepEqual(envelopes(), ["anna eve"]);
  });

  it("is sent again to the one who was put off, under its id, and not to those who have it", async () => {
    const { replies, where, deliver, envelopes, mails } = await three();
    replies.ben = "451 4.7.1 Greylisted";
    for (const _ of ["the first time", "again"])
      assert.deepEqual(await deliver(), {
        outcome: "retry",
        error: `${where} took the mail, but puts it off for ben@plant.example: “451 4.7.1 Greylisted”. Messages are tried for them again for up to half an hour, while newer ones wait.`,
      });
    // A test beside it is another mail, and forgets nothing.
    assert.equal((await deliver(testMessage())).outcome, "retry");
    delete replies.ben;
    assert.deepEqual(await deliver(), { outcome: "taken", answer: "250 Ok: queued as 4F2A" });
    assert.deepEqual(envelopes(), ["anna eve", "anna eve", "ben"]);
    assert.equal(mails[0]?.headers["message-id"], mails[2]?.headers["message-id"]);
    assert.equal(mails[2]?.headers.to, "anna@plant.example, ben@plant.example, eve@plant.example");
    assert.doesNotMatch(mails[2]?.text ?? "", /came back/);
  });

  it("that refuses one and puts off another names the refused one at the end", async () => {
    const { replies, deliver, envelopes } = await three();
    [replies.anna, replies.ben] = ["550 5.1.1 No such user", "452 4.2.2 Mailbox full"];
    assert.match(errorOf(await deliver()), /puts it off for ben@plant\.example: “452/);
    delete replies.ben;
    assert.match(
      errorOf(await deliver(), "refused"),
      /took the mail, but not for anna@plant\.example: “550 [^,]*$/,
    );
    assert.deepEqual(envelopes(), ["eve", "ben"]);
  });

  it("does not wait for one who is put off for half an hour, until a mail reaches them", async () => {
    const { replies, wait, deliver, envelopes } = await three();
    const next = (seq: number) => deliver(messageOf([noticeOf(seq, { type: "setup.done" })]));
    replies.ben = "452 4.2.2 Mailbox full";
    assert.equal((await next(1)).outcome, "retry");
    wait(1_799);
    assert.equal((await next(1)).outcome, "retry");
    wait(1);
    assert.match(
      errorOf(await next(1), "refused"),
      /but not for ben@plant\.example: “452 4\.2\.2 Mailbox full”/,
    );
    assert.deepEqual(envelopes(), ["anna eve"]);
    assert.equal((await next(2)).outcome, "refused");
    delete replies.ben;
    assert.equal((await next(3)).outcome, "taken");
    replies.ben = "452 4.2.2 Mailbox full";
    assert.equal((await next(4)).outcome, "retry");
  });

  it("is tried again for all while nobody has it, also where some are refused", async () => {
    const { replies, wait, deliver, envelopes } = await three();
    Object.assign(replies, { anna: "550 5.1.1 No such user", ben: "451 4.3.0 Late", eve: "451 4.3.0 Late" });
    assert.match(errorOf(await deliver()), /does not take the mail at present: “451 4\.3\.0 Late”/);
    wait(4_000);
    assert.equal((await deliver()).outcome, "retry");
    delete replies.ben;
    assert.match(errorOf(await deliver()), /puts it off for eve@plant\.example/);
    delete replies.eve;
    assert.match(errorOf(await deliver(), "refused"), /not for anna@plant\.example: “550/);
    assert.deepEqual(envelopes(), ["ben", "eve"]);
  });
});

/** Nothing that must stay secret is in the text, in plain or as SASL PLAIN and LOGIN encode it. */
function holdsNoSecret(seen: string): void {
  const { username, password } = mailUser;
  const encoded = [`\0${username}\0${password}`, password, username].map((text) =>
    Buffer.from(text).toString("base64"),
  );
  for (const secret of [password, ...encoded, "AUTH ", "MAIL FROM", "disk is nearly full"])
    assert.ok(!seen.includes(secret), `the attacker has read ${secret}`);
}

describe("someone between who removes STARTTLS", () => {
  for (const reply of ["502 5.5.1 Command not implemented", "454 4.7.0 TLS not available"]) {
    it(`and answers ${reply} gets neither the password nor the mail`, async () => {
      const { port, mails } = await serving();
      const attacker = await stripStartTls(port, reply);
      ending.push(attacker);
      const error = errorOf(await deliver(attacker.port, began));
      assert.match(
        error,
        /did not encrypt the connection: “\d+ .*”\. Neither the password nor the mail was sent/,
      );
      assert.match(attacker.seen(), /^EHLO .*\r\nSTARTTLS\r\n$/);
      holdsNoSecret(attacker.seen());
      assert.equal(mails.length, 0);
    });
  }

  it("and pretends to agree gets neither the password nor the mail", async () => {
    const { port, mails } = await serving();
    const attacker = await stripStartTls(port, "220 Ready\r\n250-AUTH PLAIN\r\n250 OK");
    ending.push(attacker);
    const error = errorOf(await deliver(attacker.port, began));
    assert.match(error, /^127\.0\.0\.1:\d+ cannot be used: .* Nothing was sent\./);
    const [, afterwards = ""] = attacker.seen().split("STARTTLS\r\n");
    // RFC 8446 §5.1: a record of a handshake.
    assert.equal(afterwards.charCodeAt(0), 22);
    holdsNoSecret(attacker.seen());
    assert.equal(mails.length, 0);
  });
});

describe("a server whose certificate is not good", () => {
  const other = createAuthority(scratchDirectory());
  const past = { from: "20200101000000Z", until: "20200201000000Z" };
  const cases = [
    [
      "of another authority",
      other.certify("127.0.0.1"),
      /certificate cannot be trusted: its authority .* \(.*\)\. Check the name/,
    ],
    [
      "for another name",
      authority.certify("mail.example"),
      /cannot be trusted: it is for another name \(ERR_TLS_CERT_ALTNAME_INVALID\)/,
    ],
    [
      "expired",
      authority.certify("127.0.0.1", past),
      /not valid at this time \(CERT_HAS_EXPIRED\)\. Check this device's clock/,
    ],
  ] as const;
  for (const [what, certificate, expected] of cases)
    for (const security of ["starttls", "tls"] as const)
      it(`(${what}, ${security}) gets neither the password nor the mail, and the error says so`, async () => {
        let isAsked = false;
        const onAuth: SMTPServerOptions["onAuth"] = (_auth, _session, done) => {
          isAsked = true;
          done(null, { user: "anyone" });
        };
        const { port, mails } = await serving({ secure: security === "tls", onAuth }, certificate);
        assert.match(errorOf(await deliver(port, began, { security })), expected);
        assert.deepEqual([isAsked, mails.length], [false, 0]);
      });
});

describe("a mail that is not accepted", () => {
  it("because the password is wrong says so, without it", async () => {
    const { port, mails } = await serving();
    const error = errorOf(await deliver(port, began, { password: "wrong horse" }));
    assert.match(
      error,
      /did not accept the user name and the password: “535 .*”\. No mail was sent\. Set both again\./,
    );
    assert.ok(!error.includes("wrong horse"));
    assert.equal(mails.length, 0);
  });

  it("because no password was set is not tried", async () => {
    const error = errorOf(await deliver(1, began, { password: null }));
    assert.match(error, /no password is set for boiler\. Set it with steward notify secret/);
  });

  const others: readonly (readonly [string, (socket: Socket) => unknown, RegExp])[] = [
    ["is none", (socket) => socket.write("SSH-2.0-OpenSSH_9.2\r\n"), /as a mail server does: “SSH-2/],
    ["never ends", (socket) => socket.write("2".repeat(200_000)), /as a mail server does\. Check/],
  ];
  for (const [what, greet, expected] of others)
    it(`because the server ${what} says so`, async () => {
      const server = createServer((socket) => greet(socket.on("error", () => undefined).resume()));
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
      const { port } = server.address() as { port: number };
      ending.push({ stop: () => new Promise((resolve) => server.close(() => resolve())) });
      assert.match(errorOf(await deliver(port, began)), expected);
    });

  it("because the server says nothing ends when the delivery is cancelled", async () => {
    const silent: Server = createServer((socket) => socket.on("error", () => undefined));
    await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
    const { port } = silent.address() as { port: number };
    const cancelling = new AbortController();
    silent.once("connection", () => setImmediate(() => cancelling.abort()));
    const error = errorOf(await deliver(port, began, {}, cancelling.signal));
    assert.match(error, /was cancelled/);
    await new Promise((resolve) => silent.close(resolve));
  });
});

describe("an address that a mail server may not have", () => {
  for (const server of ["127.0.0.1", "localhost", "::1", "169.254.169.254"]) {
    it(`is ${server}, where local servers are not allowed`, async () => {
      const connections = createServerConnections({ allowLocalServers: false });
      const error = errorOf(await deliver(587, began, { server, connections }));
      assert.match(error, /is this device or is on its own link: it is not used/);
    });
  }

  it("is one that a name resolves to", async () => {
    const connections = createServerConnections({
      allowLocalServers: false,
      resolveHost: async () => ["127.0.0.1"],
    });
    const error = errorOf(await deliver(587, began, { server: "mail.example", connections }));
    assert.match(error, /^mail\.example leads to .*, which is this device/);
  });
});

const hour = 3_600;
const disk = { need: "disk_full", level: "attention" };

/** Plans a mail of a need that begins and ends in turn at these hours: what it shows, with a remark or without. */
function mailsOf(...hours: readonly number[]) {
  let now = 0;
  const planOf = createNeedMails(() => now);
  return hours.map((one, index) => {
    now = one * hour;
    const what = index % 2 === 0 ? "began" : "ended";
    const plan = planOf(messageOf([noticeOf(index + 1, { type: `need.${what}`, details: disk })]));
    plan.done();
    const [shown] = plan.notices.map(({ remark }) => (remark === undefined ? what : "comes and goes"));
    return { shown: shown ?? "nothing", references: plan.references };
  });
}

describe("the mails about a need", () => {
  it("are one of its beginning, and one of its end that refers to it", () => {
    const [began = assert.fail(), ended = assert.fail()] = mailsOf(0, 30);
    assert.deepEqual([began.shown, ended.shown], ["began", "ended"]);
    const [quickly = assert.fail(), over = assert.fail()] = mailsOf(0, 1);
    assert.equal(quickly.references.length, 1);
    assert.deepEqual(over.references, [...quickly.references, `${deviceId}-1-1`]);
    // After a day, or a restart, the beginning is forgotten: the thread is still the same.
    assert.deepEqual(ended.references, began.references);
  });

  it("are three in a day of one that comes and goes, and the last does not say that it is over", () => {
    const shown = mailsOf(...Array.from({ length: 40 }, (_, index) => index / 4)).map((mail) => mail.shown);
    assert.deepEqual(shown.slice(0, 4), ["began", "ended", "comes and goes", "nothing"]);
    assert.deepEqual(new Set(shown.slice(3)), new Set(["nothing"]));
  });

  it("begin again after a day", () => {
    const shown = mailsOf(0, 1, 2, 3, 24, 25).map((mail) => mail.shown);
    assert.deepEqual(shown, ["began", "ended", "comes and goes", "nothing", "began", "ended"]);
  });

  it("are counted for each need by itself", () => {
    const planOf = createNeedMails(() => 0);
    const plans = ["first", "second"].map((name, index) => {
      const details = { ...disk, name };
      const plan = planOf(messageOf([noticeOf(index + 1, { type: "need.began", details })]));
      plan.done();
      return plan;
    });
    const remarks = plans.map(({ notices }) => notices.map(({ remark }) => remark));
    assert.deepEqual(remarks, [[undefined], [undefined]]);
    assert.notDeepEqual(plans[0]?.references, plans[1]?.references);
  });

  it("are the same at each attempt until one is accepted", () => {
    const planOf = createNeedMails(() => 0);
    const message = messageOf([noticeOf(1)]);
    const first = planOf(message);
    const second = planOf(message);
    assert.deepEqual([second.notices, second.references], [first.notices, first.references]);
    second.done();
    assert.equal(planOf(messageOf([noticeOf(2)])).notices[0]?.remark?.startsWith("This came back"), true);
  });

  it("leave events of other kinds as they are", () => {
    const planOf = createNeedMails(() => 0);
    const lost = [1, 2].map((seq) => noticeOf(seq, { type: "clock.lost", details: {} }));
    const { notices, references } = planOf(messageOf(lost));
    assert.deepEqual([notices, references], [lost, []]);
  });
});

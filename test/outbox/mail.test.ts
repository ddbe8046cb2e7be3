import assert from "node:assert/strict";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { describe, it, type TestContext } from "node:test";
import type { SMTPServerOptions } from "smtp-server";
import { scratchDirectory } from "../../lab/basics/scratch.ts";
import { createAuthority } from "../../lab/host/certificates.ts";
import { type MailServer, mailUser, startMailServer, stripStartTls } from "../../lab/host/mail-server.ts";
import { deviceId, messageOf, noticeOf, testMessage } from "../../lab/host/messages.ts";
import { startRawServer } from "../../lab/host/web-server.ts";
import { createServerConnections } from "../../src/host/linux/transfers/connections.ts";
import { createMail, type MailOptions } from "../../src/outbox/mail.ts";
import { mailText } from "../../src/outbox/mail-text.ts";
import { createNeedMails } from "../../src/outbox/need-mails.ts";
import type { Delivery, Message, Notice } from "../../src/outbox/receiver.ts";
import { authority, during, errorOf, good, unending } from "./fixture.ts";

const serving = (
  test: TestContext,
  options: Parameters<typeof startMailServer>[1] = {},
  certificate = good,
): Promise<MailServer> => during(test, startMailServer(certificate, options));

const usual: Omit<MailOptions, "port"> = {
  ...{ server: "127.0.0.1", security: "starttls", ...mailUser },
  ...{ from: "steward@plant.example", to: ["owner@plant.example"] },
  connections: createServerConnections({ allowLocalServers: true, caFile: authority.path }),
  ...{ wall: () => Date.parse("2026-11-27T10:05:00Z"), uptime: () => 0, hostName: () => "edge-7" },
};

const deliver = (port: number, message: Message, changes: Partial<MailOptions> = {}): Promise<Delivery> =>
  createMail({ ...usual, port, ...changes }).deliver(message, unending);

const began = messageOf([noticeOf(7)]);
const taken = { outcome: "taken", answer: "250 Ok: queued as 4F2A" };

it("has Steward's own event in its subject, and not what the product has reported besides", () => {
  const ofProduct = (seq: number) => {
    const notice = noticeOf(seq, { level: "grave", title: "To do: the pressure is low" });
    const actor = { kind: "product", id: "pump.service", name: "pump.service" } as const;
    return { ...notice, event: { ...notice.event, actor } };
  };
  const subjectOf = (...notices: Notice[]) => mailText(messageOf(notices), notices).subject;
  const two = "[Boiler house] To do: the disk is nearly full, and 1 more";
  assert.equal(subjectOf(noticeOf(7), ofProduct(8)), two);
  assert.equal(subjectOf(ofProduct(8)), "[Boiler house] To do: the pressure is low");
});

describe("a mail", () => {
  for (const security of ["starttls", "tls"] as const) {
    it(`arrives over ${security}, signed in and encrypted, with an id that is the message's`, async (test) => {
      const { port, mails } = await serving(test, { secure: security === "tls" });
      assert.deepEqual(await deliver(port, began, { security }), taken);
      const [mail = assert.fail()] = mails;
      assert.deepEqual([mail.user, mail.isEncrypted], [mailUser.username, true]);
      assert.deepEqual([mail.from, mail.to], ["steward@plant.example", ["owner@plant.example"]]);
      const { from, subject, date } = mail.headers;
      assert.deepEqual(
        [mail.headers["message-id"], mail.headers["auto-submitted"], from, subject, date],
        [
          ...[`<${deviceId}-7-7@plant.example>`, "auto-generated", "Boiler house <steward@plant.example>"],
          ...["[Boiler house] To do: the disk is nearly full", "Fri, 27 Nov 2026 10:05:00 +0000"],
        ],
      );
      assert.match(
        mail.text,
        /^2026-11-27 10:00:07 UTC\nTo do: the disk is nearly full\n3 % are free\. Delete logs\.\n\n-- \nBoiler house, /,
      );
    });

    it(`arrives over ${security} through a proxy, whose answer may come in one piece with the server's first`, async (test) => {
      const certificate = authority.certify("mail.example");
      const { port, mails } = await serving(test, { secure: security === "tls" }, certificate);
      let asked = "";
      const proxy = await during(
        test,
        startRawServer((client, head) => {
          asked = head.toString("latin1").split("\r\n")[0] ?? "";
          const server = connect(port, "127.0.0.1");
          const begin = (first: Buffer | string): void => {
            client.write(`HTTP/1.1 200 Connection established\r\n\r\n${first.toString("latin1")}`);
            client.pipe(server).pipe(client);
            // The mail server waits half a minute for connections that stay open.
            client.once("close", () => server.destroy());
          };
          // A mail server speaks first, unless TLS is there from the first byte.
          if (security === "tls") begin("");
          else server.once("data", begin);
        }),
      );
      const connections = createServerConnections({
        ...{ allowLocalServers: false, caFile: authority.path, proxy: `http://127.0.0.1:${proxy.port}` },
      });
      assert.deepEqual(await deliver(port, began, { server: "mail.example", security, connections }), taken);
      assert.deepEqual([asked, mails.length], [`CONNECT mail.example:${port} HTTP/1.1`, 1]);
    });
  }

  it("needs no sign-in where no user name is set", async (test) => {
    const { port, mails } = await serving(test);
    assert.deepEqual(await deliver(port, began, { username: null, password: null }), taken);
    assert.deepEqual([mails[0]?.user, mails[0]?.isEncrypted], [undefined, true]);
  });

  it("has letters of every kind, and a name cannot add a header", async (test) => {
    const { port, mails } = await serving(test);
    const name = "Heizhaus Süd 🌡\r\nBcc: thief@evil.example";
    const notices = [noticeOf(7, { title: "Zu prüfen: “40 °C”", text: "40 °C\n.\nDATA" })];
    await deliver(port, messageOf(notices, { device: { id: deviceId, name } }));
    const [{ headers, text, to } = assert.fail()] = mails;
    assert.deepEqual(
      [headers.subject, headers.bcc, to],
      [
        "[Heizhaus Süd 🌡 Bcc: thief@evil.example] Zu prüfen: “40 °C”",
        ...[undefined, ["owner@plant.example"]],
      ],
    );
    assert.match(text, /Zu prüfen: “40 °C”\n40 °C\n\.\nDATA\n/);
  });

  it("of a test says so, and one of a storm says how many there were and what is missing", async (test) => {
    const { port, mails } = await serving(test);
    await deliver(port, testMessage());
    const notices = [noticeOf(7, { level: "grave", title: "The clock is lost" }), noticeOf(8)];
    const storm = { count: 70, counts: { "need.began": 69, "clock.lost": 1 }, gap: { from: 3, to: 6 } };
    await deliver(port, messageOf(notices, storm));
    assert.deepEqual(
      mails.map(({ headers }) => [headers.subject, headers.importance]),
      [
        ["[Boiler house] Test message", undefined],
        ["[Boiler house] The clock is lost, and 69 more", "high"],
      ],
    );
    assert.match(mails[0]?.text ?? "", /Nothing has happened/);
    assert.match(
      mails[1]?.text ?? "",
      /^70 events happened; the 2 gravest and newest follow\. By type: need\.began 69, clock\.lost 1\.[\s\S]*Events 3 to 6, or some of them, did not reach everyone/,
    );
  });

  it("about the end of a need refers to that of its beginning, and none is sent where all was mailed", async (test) => {
    const { port, mails } = await serving(test);
    const mail = createMail({ ...usual, port });
    const answers = [];
    for (const [index, what] of ["began", "ended", "began", "ended"].entries())
      answers.push(await mail.deliver(messageOf([noticeOf(index + 1, { type: `need.${what}` })]), unending));
    assert.match(JSON.stringify(answers[3]), /^{"outcome":"taken","answer":"Not mailed: /);
    const [began = assert.fail(), ended = assert.fail(), again = assert.fail()] = mails;
    assert.equal(mails.length, 3);
    assert.ok(ended.headers.references?.includes(began.headers["message-id"] ?? "no id"));
    assert.equal(ended.headers["in-reply-to"], began.headers["message-id"]);
    assert.match(again.text, /No more mails about it are sent until the day is over/);
  });
});

describe("a mail to several recipients", () => {
  /** A server with these replies to recipients, and a mail receiver of three. */
  async function three(test: TestContext, replies: Record<string, string>) {
    const { port, mails } = await serving(test, { refusal: (to) => replies[to.split("@")[0] ?? ""] ?? null });
    let now = 0;
    const to = ["anna", "ben", "eve"].map((name) => `${name}@plant.example`);
    const mail = createMail({ ...usual, port, to, uptime: () => now });
    return {
      ...{ mails, where: `127.0.0.1:${port}` },
      wait: (seconds: number): void => {
        now += seconds;
      },
      deliver: (message: Message = began) => mail.deliver(message, unending),
      envelopes: () => mails.map((one) => one.to.map((address) => address.split("@")[0]).join(" ")),
    };
  }

  const [unknown, full] = ["550 5.1.1 No such user", "452 4.2.2 Mailbox full"];

  it("is refused where one is, and the error names them", async (test) => {
    const { where, deliver, envelopes } = await three(test, { ben: unknown });
    assert.deepEqual(await deliver(), {
      ...{ outcome: "refused", answer: taken.answer, events: 1 },
      error: `${where} took the mail, but not for ben@plant.example: “${unknown}”. It is not sent to them again. Check the recipients (to).`,
    });
    assert.deepEqual(envelopes(), ["anna eve"]);
  });

  it("is sent again to the one who was put off, under its id, and not to those who have it", async (test) => {
    const replies: Record<string, string> = { ben: full };
    const { where, deliver, envelopes, mails } = await three(test, replies);
    for (const _ of ["the first time", "again"])
      assert.deepEqual(await deliver(), {
        outcome: "retry",
        error: `${where} took the mail, but puts it off for ben@plant.example: “${full}”. Messages are tried for them again for up to half an hour, while newer ones wait.`,
      });
    // A test beside it is another mail, and forgets nothing.
    assert.equal((await deliver(testMessage())).outcome, "retry");
    delete replies.ben;
    assert.deepEqual(await deliver(), taken);
    assert.deepEqual(envelopes(), ["anna eve", "anna eve", "ben"]);
    const [first, , last = assert.fail()] = mails;
    assert.equal(last.headers["message-id"], first?.headers["message-id"]);
    assert.equal(last.headers.to, "anna@plant.example, ben@plant.example, eve@plant.example");
    assert.doesNotMatch(last.text, /came back/);
  });

  it("that refuses one and puts off another names the refused one at the end", async (test) => {
    const replies: Record<string, string> = { anna: unknown, ben: full };
    const { deliver, envelopes } = await three(test, replies);
    assert.match(errorOf(await deliver()), /puts it off for ben@plant\.example: “452/);
    delete replies.ben;
    const last = errorOf(await deliver(), "refused");
    assert.match(last, /took the mail, but not for anna@plant\.example: “550 [^,]*$/);
    assert.deepEqual(envelopes(), ["eve", "ben"]);
  });

  it("does not wait for one who is put off for half an hour, until a mail reaches them", async (test) => {
    const replies: Record<string, string> = { ben: full };
    const { wait, deliver, envelopes } = await three(test, replies);
    const next = (seq: number) => deliver(messageOf([noticeOf(seq, { type: "setup.done" })]));
    errorOf(await next(1));
    wait(1_799);
    errorOf(await next(1));
    wait(1);
    assert.ok(errorOf(await next(1), "refused").includes(`but not for ben@plant.example: “${full}”`));
    assert.deepEqual(envelopes(), ["anna eve"]);
    errorOf(await next(2), "refused");
    delete replies.ben;
    assert.deepEqual(await next(3), taken);
    replies.ben = full;
    errorOf(await next(4));
  });

  it("is tried again for all while nobody has it, also where some are refused", async (test) => {
    const late = "451 4.3.0 Late";
    const replies: Record<string, string> = { anna: unknown, ben: late, eve: late };
    const { wait, deliver, envelopes } = await three(test, replies);
    assert.match(errorOf(await deliver()), /does not take the mail at present: “451 4\.3\.0 Late”/);
    wait(4_000);
    errorOf(await deliver());
    delete replies.ben;
    assert.match(errorOf(await deliver()), /puts it off for eve@plant\.example/);
    delete replies.eve;
    assert.match(errorOf(await deliver(), "refused"), /not for anna@plant\.example: “550/);
    assert.deepEqual(envelopes(), ["ben", "eve"]);
  });
});

describe("someone between who removes STARTTLS", () => {
  /** In plain, or as SASL PLAIN and LOGIN encode it. */
  const { username, password } = mailUser;
  const encoded = [`\0${username}\0${password}`, password, username].map((text) =>
    Buffer.from(text).toString("base64"),
  );
  const secrets = [password, ...encoded, "AUTH ", "MAIL FROM", "disk is nearly full"];

  // The first byte after the command, if any: by RFC 8446 §5.1 a record of a handshake begins with 22.
  for (const [what, reply, error, first] of [
    [
      "answers 502",
      "502 5.5.1 Command not implemented",
      /: “502 .*Neither the password nor the mail/,
      Number.NaN,
    ],
    ["answers 454", "454 4.7.0 TLS not available", /: “454 .*Neither the password nor the mail/, Number.NaN],
    ["pretends to agree", "220 Ready\r\n250-AUTH PLAIN\r\n250 OK", /cannot be used: .* Nothing was/, 22],
  ] as const)
    it(`and ${what} gets neither the password nor the mail`, async (test) => {
      const { port, mails } = await serving(test);
      const attacker = await during(test, stripStartTls(port, reply));
      assert.match(errorOf(await deliver(attacker.port, began)), error);
      const [, afterwards = assert.fail()] = /^EHLO .*\r\nSTARTTLS\r\n([\s\S]*)$/.exec(attacker.seen()) ?? [];
      assert.equal(afterwards.charCodeAt(0), first);
      for (const secret of secrets) assert.ok(!attacker.seen().includes(secret), `${secret} was read`);
      assert.equal(mails.length, 0);
    });
});

describe("a server whose certificate is not good", () => {
  const other = createAuthority(scratchDirectory());
  const past = { from: "20200101000000Z", until: "20200201000000Z" };
  for (const [what, certificate, expected] of [
    [
      "of another authority",
      other.certify("127.0.0.1"),
      /cannot be trusted: its authority .* Check the name/,
    ],
    [
      "for another name",
      authority.certify("mail.example"),
      /cannot be trusted: it is for another name \(ERR/,
    ],
    ["expired", authority.certify("127.0.0.1", past), /not valid at this time \(CERT_HAS_EXPIRED\)\. Check/],
  ] as const)
    for (const security of ["starttls", "tls"] as const)
      it(`(${what}, ${security}) gets neither the password nor the mail, and the error says so`, async (test) => {
        let isAsked = false;
        const onAuth: SMTPServerOptions["onAuth"] = (_auth, _session, done) => {
          isAsked = true;
          done(null, { user: "anyone" });
        };
        const { port, mails } = await serving(test, { secure: security === "tls", onAuth }, certificate);
        assert.match(errorOf(await deliver(port, began, { security })), expected);
        assert.deepEqual([isAsked, mails.length], [false, 0]);
      });
});

describe("a mail that is not accepted", () => {
  it("because the password is wrong says so, without it; without any it is not tried", async (test) => {
    const { port, mails } = await serving(test);
    const wrong = errorOf(await deliver(port, began, { password: "wrong horse" }));
    assert.match(wrong, /did not accept the user name and the password: “535 .*No mail was sent\. Set both/);
    assert.ok(!wrong.includes("wrong horse"));
    const none = errorOf(await deliver(port, began, { password: null }));
    assert.match(none, /no password is set for boiler\. Set it with steward notify secret/);
    assert.equal(mails.length, 0);
  });

  for (const [what, greeting, expected] of [
    ["is none", "SSH-2.0-OpenSSH_9.2\r\n", /as a mail server does: “SSH-2/],
    ["never ends", "2".repeat(200_000), /as a mail server does\. Check/],
  ] as const)
    it(`because the server ${what} says so`, async (test) => {
      const open: Socket[] = [];
      const server = createServer((socket) => {
        open.push(socket.on("error", () => undefined).resume());
        socket.write(greeting);
      });
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
      test.after(() => {
        for (const socket of open) socket.destroy();
        server.close();
      });
      const { port } = server.address() as AddressInfo;
      assert.match(errorOf(await deliver(port, began)), expected);
    });
});

describe("the mails about a need", () => {
  const hour = 3_600;
  const disk = { need: "disk_full", level: "attention" };

  /** Plans a mail of a need that begins and ends in turn at these hours: what it shows, with a remark or without. */
  function mailsOf(...hours: readonly number[]) {
    let now = 0;
    const planOf = createNeedMails(() => now);
    const mails = hours.map((one, index) => {
      now = one * hour;
      const what = index % 2 === 0 ? "began" : "ended";
      const plan = planOf(messageOf([noticeOf(index + 1, { type: `need.${what}`, details: disk })]));
      plan.done();
      const [shown] = plan.notices.map(({ remark }) => (remark === undefined ? what : "comes and goes"));
      return { shown: shown ?? "nothing", references: plan.references };
    });
    return { line: mails.map(({ shown }) => shown).join(), references: mails.map((mail) => mail.references) };
  }

  it("are three in a day of one that comes and goes, and begin again after it", () => {
    const often = mailsOf(...Array.from({ length: 40 }, (_, index) => index / 4)).line;
    assert.equal(often, `began,ended,comes and goes${",nothing".repeat(37)}`);
    assert.equal(mailsOf(0, 1, 2, 3, 24, 25).line, "began,ended,comes and goes,nothing,began,ended");
  });

  it("refer to the mail of its beginning, and are one thread also after a day or a restart", () => {
    const slowly = mailsOf(0, 30);
    const quickly = mailsOf(0, 1);
    assert.equal(slowly.line, "began,ended");
    const [[thread = "", ...none] = []] = quickly.references;
    assert.deepEqual(none, []);
    assert.deepEqual(quickly.references, [[thread], [thread, `${deviceId}-1-1`]]);
    assert.deepEqual(slowly.references, [[thread], [thread]]);
  });

  it("are counted for each need, and leave events of other kinds as they are", () => {
    const planOf = createNeedMails(() => 0);
    const plans = ["first", "second"].map((name, index) => {
      const details = { ...disk, name };
      const plan = planOf(messageOf([noticeOf(index + 1, { type: "need.began", details })]));
      plan.done();
      assert.equal(plan.notices[0]?.remark, undefined);
      return plan.references;
    });
    assert.notDeepEqual(plans[0], plans[1]);
    const lost = [1, 2].map((seq) => noticeOf(seq, { type: "clock.lost", details: {} }));
    const { notices, references } = planOf(messageOf(lost));
    assert.deepEqual([notices, references], [lost, []]);
  });

  it("are the same at each attempt until one is accepted", () => {
    const planOf = createNeedMails(() => 0);
    const first = planOf(began);
    const second = planOf(began);
    assert.deepEqual([second.notices, second.references], [first.notices, first.references]);
    second.done();
    assert.match(planOf(messageOf([noticeOf(2)])).notices[0]?.remark ?? "", /^This came back/);
  });
});

/** Mail of the outbox to Debian's Exim: sign-in, both kinds of TLS, greylisting, refusals, and a port without TLS. */
import assert from "node:assert/strict";
import { rmSync, writeFileSync } from "node:fs";
import { describe, it } from "node:test";
import { createServerConnections } from "../../src/host/linux/transfers/connections.ts";
import { createMail, type MailOptions } from "../../src/outbox/mail.ts";
import { scratchDirectory } from "../basics/scratch.ts";
import { until } from "../basics/until.ts";
import { createAuthority } from "../host/certificates.ts";
import { mailUser } from "../host/mail-server.ts";
import { deviceId, messageOf, noticeOf } from "../host/messages.ts";
import { startExim } from "./exim-server.ts";
import { addRow } from "./table.ts";

const authority = createAuthority(scratchDirectory());

function mailTo(port: number, changes: Partial<MailOptions> = {}) {
  const mail = createMail({
    ...{ server: "127.0.0.1", port, security: "starttls", ...mailUser },
    ...{
      from: "steward@plant.example",
      to: ["owner@plant.example"],
      wall: Date.now,
      uptime: () => 0,
      hostName: () => "edge-7",
    },
    connections: createServerConnections({ allowLocalServers: true, caFile: authority.path }),
    ...changes,
  });
  return (seq: number) => mail.deliver(messageOf([noticeOf(seq)]), new AbortController().signal);
}

describe("Debian's Exim", { timeout: 120_000 }, () => {
  it("delivers mail over STARTTLS and TLS, puts it off, and refuses it, each in words", async (test) => {
    const exim = await startExim(test, authority.certify("127.0.0.1"), mailUser);
    const began = performance.now();
    assert.match(JSON.stringify(await mailTo(exim.submission)(1)), /"ok":true,"answer":"250 OK id=/);
    const milliseconds = performance.now() - began;
    assert.match(JSON.stringify(await mailTo(exim.submissions, { security: "tls" })(2)), /"ok":true/);
    await until("both are in the mailbox", () => exim.mails().length === 2);
    assert.deepEqual(
      exim
        .mails()
        .map(({ headers }) => headers["message-id"])
        .toSorted(),
      [1, 2].map((seq) => `<${deviceId}-${seq}-${seq}@plant.example>`),
    );
    assert.match(exim.log(), /<= steward@plant\.example .* P=esmtpsa .* A=plain:boiler/);

    const wrong = mailTo(exim.submission, { password: "wrong horse" });
    assert.match(JSON.stringify(await wrong(3)), /did not accept the user name and the password: “535 /);
    const unencrypted = mailTo(exim.plain);
    assert.match(JSON.stringify(await unencrypted(4)), /did not encrypt the connection \(“503 /);
    const gone = mailTo(exim.submission, { to: ["gone@plant.example"] });
    assert.match(JSON.stringify(await gone(5)), /refused the recipients: “550 5\.1\.1 No such person”/);

    const grey = mailTo(exim.submission, { to: ["grey@plant.example"] });
    writeFileSync(exim.greyList, "");
    assert.match(JSON.stringify(await grey(6)), /does not take the mail at present: “451 4\.7\.1 Greylisted/);
    rmSync(exim.greyList);
    assert.match(JSON.stringify(await grey(6)), /"ok":true/);
    await until("the third is in the mailbox", () => exim.mails().length === 3);
    addRow({
      subject: "mail",
      what: "the first mail to Exim, with its sign-in",
      value: `${milliseconds.toFixed(0)} ms`,
    });
  });
});

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createServerConnections } from "../../src/host/linux/transfers/connections.ts";
import { smtpFailure } from "../../src/outbox/smtp-failures.ts";
import { unreached } from "../../src/outbox/unreached.ts";

const causes: readonly (readonly [string, RegExp])[] = [
  ["ENOTFOUND", /^Nothing was sent to mail\.example:587: its name cannot be resolved\. Check the address/],
  ["EHOSTUNREACH", /there is no route to it\. Check the address/],
  ["HPE_INVALID_CONSTANT", /its answer cannot be read as HTTP \(HPE_INVALID_CONSTANT\)\. Check the address/],
  ["ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION", /it speaks no TLS from version 1\.2 on\. Check the address/],
  ["ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED", /it asks this device for a certificate\. Check the address/],
  // As Node 20, and as Node 24 and 26 call it.
  ["ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE", /it shares no TLS cipher with this device, or asks/],
  ["ERR_SSL_SSL/TLS_ALERT_HANDSHAKE_FAILURE", /it shares no TLS cipher with this device, or asks/],
  ["CERT_HAS_EXPIRED", /is not valid at this time \(CERT_HAS_EXPIRED\)\. Check the clock of this device/],
  [
    "SELF_SIGNED_CERT_IN_CHAIN",
    /cannot be trusted: its authority is not one that this device knows \(SELF_SIGNED_CERT_IN_CHAIN\)\. Check the name of the server/,
  ],
];

describe("the sentences about a server that was not reached", () => {
  for (const [code, expected] of causes) {
    it(`say what ${code} means, and what to check`, () => {
      const error = Object.assign(new Error("x"), { code });
      assert.match(unreached("mail.example:587", error), expected);
      const ofNodemailer = Object.assign(new Error("x"), { code: "ESOCKET", originalCode: code });
      assert.match(smtpFailure("mail.example:587", ofNodemailer), expected);
    });
  }

  it("name a file of authorities that cannot be used", async () => {
    const connections = createServerConnections({ allowLocalServers: false, caFile: "/nowhere/ca.pem" });
    const error = await connections.authorities().catch((cause: unknown) => cause);
    assert.match(
      unreached("mail.example:587", error),
      /file of certificate authorities .* cannot be used \(ENOENT/,
    );
  });

  it("say that a mail server did not answer in time, and which port is for which", () => {
    for (const error of [
      Object.assign(new Error("x"), { code: "ETIMEDOUT" }),
      AbortSignal.abort(new DOMException("", "TimeoutError")).reason,
    ])
      assert.match(
        smtpFailure("mail.example:587", error),
        /did not answer in time\. .* Port 465 is for TLS from/,
      );
  });
});

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { softwarePasskey } from "../../../lab/basics/software-passkey.ts";
import { verifyCreation, verifyUse } from "../../../src/accounts/second-factor/webauthn.ts";

interface Vector {
  readonly name: string;
  readonly id: string;
  readonly registration: Record<"challenge" | "clientDataJSON" | "attestationObject", string>;
  readonly authentication: Record<"challenge" | "clientDataJSON" | "authenticatorData" | "signature", string>;
}

const file = join(import.meta.dirname, "../../vectors/webauthn/level-3.json");
const vectors = JSON.parse(readFileSync(file, "utf8")) as readonly Vector[];
const text = (hex: string): string => Buffer.from(hex, "hex").toString("base64url");
const page = { origin: "https://example.org", host: "example.org" };

const creationOf = ({ id, registration }: Vector) => ({
  ...{ id: text(id), client_data: text(registration.clientDataJSON) },
  attestation: text(registration.attestationObject),
});

const useOf = ({ id, authentication: given }: Vector) => ({
  ...{ id: text(id), client_data: text(given.clientDataJSON) },
  ...{ authenticator_data: text(given.authenticatorData), signature: text(given.signature) },
});

/** Another last bit but one of the bytes before the last: that of a text may be padding. */
function changed(base64url: string): string {
  const bytes = Buffer.from(base64url, "base64url");
  bytes[bytes.length - 2] = (bytes[bytes.length - 2] ?? 0) ^ 1;
  return bytes.toString("base64url");
}

for (const vector of vectors) {
  describe(`the vector ${vector.name} of WebAuthn`, () => {
    const made = { ...page, challenge: text(vector.registration.challenge) };
    const used = { ...page, challenge: text(vector.authentication.challenge) };
    const keyOf = () => verifyCreation(creationOf(vector), made);

    it("is taken, and its key verifies its use", async () => {
      const credential = await keyOf();
      assert.deepEqual([credential.credential_id, credential.sign_count], [text(vector.id), 0]);
      assert.equal(await verifyUse(useOf(vector), used, credential), 0);
    });
    it("is refused for another origin, host or challenge", async () => {
      const credential = await keyOf();
      for (const other of [
        { origin: "https://example.org:8443" },
        { host: "example.net" },
        { challenge: text("00".repeat(32)) },
      ]) {
        await assert.rejects(
          verifyCreation(creationOf(vector), { ...made, ...other }),
          JSON.stringify(other),
        );
        await assert.rejects(verifyUse(useOf(vector), { ...used, ...other }, credential));
      }
    });
    it("is refused with any part changed, exchanged or cut off", async () => {
      const credential = await keyOf();
      const use = useOf(vector);
      for (const key of ["client_data", "authenticator_data", "signature"] as const)
        for (const broken of [changed(use[key]), use[key].slice(0, 20), "AAAA"])
          await assert.rejects(verifyUse({ ...use, [key]: broken }, used, credential), key);
      const creation = creationOf(vector);
      for (const attestation of [creation.attestation.slice(0, 60), "oA", "AAAA"])
        await assert.rejects(verifyCreation({ ...creation, attestation }, made));
      await assert.rejects(verifyCreation({ ...creation, id: text("00".repeat(32)) }, made));
    });
    it("is refused where its counter has not grown", async () => {
      const credential = { ...(await keyOf()), sign_count: 1 };
      await assert.rejects(verifyUse(useOf(vector), used, credential), /counter/i);
    });
  });
}

describe("a passkey in software", () => {
  it("is made and used as those of the vectors are, with a counter that grows", async () => {
    const [key, challenge] = [softwarePasskey(), text("11".repeat(32))];
    const credential = await verifyCreation(key.make(challenge, page), { ...page, challenge });
    for (const count of [1, 2])
      assert.equal(await verifyUse(key.use(challenge, page), { ...page, challenge }, credential), count);
  });
});

import type { NewPasskey, PasskeyProof } from "../../contract/types.ts";
import type { StoredPasskey } from "../users/account.ts";

/** The beginning of a ceremony of WebAuthn (§4). */
export interface Begun {
  /** base64url. */
  readonly challenge: string;
  readonly origin: string;
  /** The host name of the origin, WebAuthn's `rp.id`. */
  readonly host: string;
}

/** The public key of a passkey, and where its signature counter begins. */
type Credential = Pick<StoredPasskey, "credential_id" | "public_key" | "sign_count">;

/** EdDSA, ES256, RS256 (RFC 9053, RFC 8812): which of them an authenticator has is its own affair. */
export const passkeyAlgorithms = [-8, -7, -257];

/** Loaded at the first use: an agent without passkeys does not hold it. */
const load = () => import("@simplewebauthn/server");

/** WebAuthn §7.1 without attestation, which names the maker. A password replaces user verification. Throws an Error. */
export async function verifyCreation(given: Omit<NewPasskey, "name">, begun: Begun): Promise<Credential> {
  const { verifyRegistrationResponse } = await load();
  const { id, client_data: clientDataJSON, attestation: attestationObject } = given;
  const { registrationInfo } = await verifyRegistrationResponse({
    response: {
      ...{ id, rawId: id, type: "public-key", clientExtensionResults: {} },
      response: { clientDataJSON, attestationObject },
    },
    ...expectedOf(begun),
    supportedAlgorithmIDs: passkeyAlgorithms,
  });
  const made = registrationInfo?.credential;
  if (made === undefined || made.id !== id) throw new Error("The authenticator made another credential.");
  return {
    credential_id: made.id,
    public_key: Buffer.from(made.publicKey).toString("base64url"),
    sign_count: made.counter,
  };
}

/** WebAuthn §7.2. Returns the new signature counter. Throws an Error for anything wrong, also one that has not grown. */
export async function verifyUse(given: PasskeyProof, begun: Begun, present: Credential): Promise<number> {
  const { verifyAuthenticationResponse } = await load();
  const { id, client_data: clientDataJSON, authenticator_data: authenticatorData, signature } = given;
  const { verified, authenticationInfo } = await verifyAuthenticationResponse({
    response: {
      ...{ id, rawId: id, type: "public-key", clientExtensionResults: {} },
      response: { clientDataJSON, authenticatorData, signature },
    },
    ...expectedOf(begun),
    credential: {
      id: present.credential_id,
      publicKey: Uint8Array.from(Buffer.from(present.public_key, "base64url")),
      counter: present.sign_count,
    },
  });
  if (!verified) throw new Error("The signature is not by this passkey.");
  return authenticationInfo.newCounter;
}

function expectedOf({ challenge, origin, host }: Begun) {
  return {
    ...{ expectedChallenge: challenge, expectedOrigin: origin, expectedRPID: host },
    requireUserVerification: false,
  };
}

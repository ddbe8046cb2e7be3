import { useEffect, useState } from "preact/hooks";
import type {
  NewPasskey,
  PasskeyCreation,
  PasskeyProof,
  PasskeyRequest,
  User,
} from "../../contract/types.ts";
import { t } from "../catalogue/words.ts";
import { readyToExplain } from "../client/explanations.ts";
import { Fault } from "../client/problem.ts";

/** Milliseconds in which a browser that has no passkeys for this page says so: it does at once. */
const refusalMilliseconds = 300;

/**
 * True if this browser has passkeys for this page: not at an address, nor past a warning about the certificate, which no
 * property shows (docs/sign-in.md). It is asked for a passkey beside a form, which shows nothing, and is refused or waits.
 */
async function hasPasskeys(): Promise<boolean> {
  if (!("PublicKeyCredential" in globalThis)) return false;
  const isAsked = await PublicKeyCredential.isConditionalMediationAvailable?.();
  if (!isAsked) return true;
  const waiting = new AbortController();
  setTimeout(() => waiting.abort(), refusalMilliseconds);
  const publicKey = { challenge: crypto.getRandomValues(new Uint8Array(32)) };
  return navigator.credentials.get({ mediation: "conditional", signal: waiting.signal, publicKey }).then(
    () => true,
    ({ name, message }: DOMException) => name !== "SecurityError" && !/TLS|certificate/i.test(message),
  );
}

/** The same for a component: false until it is known. */
export function useHasPasskeys(): boolean {
  const [isPossible, setIsPossible] = useState(false);
  useEffect(() => {
    void hasPasskeys().then(setIsPossible);
  }, []);
  return isPossible;
}

/** Has the browser make a passkey. Throws Fault where it makes none. */
export async function makePasskey(
  { id, username, display_name }: User,
  { challenge, host, algorithms, known, expires_in }: PasskeyCreation,
): Promise<Omit<NewPasskey, "name">> {
  const made = await navigator.credentials
    .create({
      publicKey: {
        challenge: bytesOf(challenge),
        rp: { id: host, name: host },
        user: { id: new TextEncoder().encode(id), name: username, displayName: display_name || username },
        pubKeyCredParams: algorithms.map((alg) => ({ type: "public-key", alg })),
        excludeCredentials: known.map(descriptorOf),
        authenticatorSelection: { residentKey: "discouraged", userVerification: "discouraged" },
        attestation: "none",
        timeout: expires_in * 1_000,
      },
    })
    .catch(refused("made"));
  const { rawId, response } = made as PublicKeyCredential & { response: AuthenticatorAttestationResponse };
  return {
    id: textOf(rawId),
    client_data: textOf(response.clientDataJSON),
    attestation: textOf(response.attestationObject),
    transports: response.getTransports?.() ?? [],
  };
}

/** Has one of the user's passkeys answer. Throws Fault where the browser uses none. */
export async function answerByPasskey({
  challenge,
  host,
  credentials,
}: PasskeyRequest): Promise<PasskeyProof> {
  const used = await navigator.credentials
    .get({
      publicKey: {
        challenge: bytesOf(challenge),
        rpId: host,
        allowCredentials: credentials.map(descriptorOf),
        userVerification: "discouraged",
      },
    })
    .catch(refused("used"));
  const { rawId, response } = used as PublicKeyCredential & { response: AuthenticatorAssertionResponse };
  return {
    id: textOf(rawId),
    client_data: textOf(response.clientDataJSON),
    authenticator_data: textOf(response.authenticatorData),
    signature: textOf(response.signature),
  };
}

function refused(what: "made" | "used"): (error: DOMException) => Promise<never> {
  return async (error) => {
    await readyToExplain();
    // The browser names this one reason only; it keeps the others to itself, for privacy.
    const isThere = what === "made" && error.name === "InvalidStateError";
    throw new Fault(() => t.faults?.[isThere ? "there" : what], error);
  };
}

function descriptorOf({ id, transports }: PasskeyRequest["credentials"][number]) {
  const known = transports as AuthenticatorTransport[] | undefined;
  return { type: "public-key" as const, id: bytesOf(id), ...(known && { transports: known }) };
}

function bytesOf(base64url: string): Uint8Array<ArrayBuffer> {
  const text = atob(base64url.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(text, (one) => one.charCodeAt(0));
}

function textOf(bytes: ArrayBuffer): string {
  const text = btoa(String.fromCharCode(...new Uint8Array(bytes)));
  return text.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

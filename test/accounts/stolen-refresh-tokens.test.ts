import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { describe, it } from "node:test";
import { readRefreshToken } from "../../src/accounts/sessions/refresh-token.ts";
import { bob, context, inBody, signedIn } from "./sessions-at.ts";

describe("a refresh token that was never given out", () => {
  const text = (bytes: Buffer) => `str_${bytes.toString("base64url")}`;
  const bytesOf = (token: string) => Buffer.from(token.slice(4), "base64url");
  const changed = (change: (bytes: Buffer) => unknown) => (token: string) => {
    const bytes = bytesOf(token);
    const made = change(bytes);
    return text(made instanceof Buffer ? made : bytes);
  };
  const ofEmptyKey = (body: Buffer) => Buffer.concat([body, createHmac("sha256", "").update(body).digest()]);
  const forgeries: Record<string, (token: string) => string> = {
    "with one bit of its MAC changed": changed((bytes) => bytes.writeUInt8((bytes[67] ?? 0) ^ 1, 67)),
    "with a lower generation": changed((bytes) => bytes.writeUInt32BE(0, 16)),
    "with a MAC under an empty key": changed((bytes) => ofEmptyKey(bytes.subarray(0, 36))),
    "of another text for the same bytes": (token) => `${token.slice(0, -1)}${nextOf(token.slice(-1))}`,
    "cut short": (token) => token.slice(0, -4),
    "with more behind": (token) => `${token}AAAA`,
    "that is no more than random": () => `str_${"A".repeat(43)}`,
  };
  for (const [what, forged] of Object.entries(forgeries))
    it(`${what} is refused, and the session goes on`, async () => {
      const { sessions, told, refreshToken, refused } = await signedIn();
      assert.equal(await refused(forged(refreshToken)), "expired");
      assert.equal(await sessions.close(inBody(forged(refreshToken)), context), undefined);
      assert.equal(await refused(), undefined);
      assert.deepEqual(told, { reused: [], unbound: [], ended: [] });
    });

  it("with another session's name on it is refused, and neither ends", async () => {
    const { sessions, told, session, refreshToken, refused, isAlive } = await signedIn();
    const other = sessions.open(bob, context);
    const bytes = bytesOf(refreshToken);
    bytesOf(other.refreshToken).copy(bytes, 0, 0, 16);
    assert.equal(await refused(text(bytes)), "expired");
    assert.deepEqual([isAlive(session), isAlive(other.session), told.reused], [true, true, []]);
  });

  it("cannot be made from the stored session", async () => {
    const { document, refreshToken } = await signedIn();
    const { random, key } = { random: bytesOf(refreshToken).subarray(20, 36), key: keyOf(document.read()) };
    assert.ok(
      readRefreshToken(refreshToken)?.isSignedWith(key),
      "the key is there, to tell the genuine ones",
    );
    const stored = JSON.stringify(document.read());
    for (const form of ["hex", "base64url"] as const)
      assert.ok(!stored.includes(random.toString(form)), "its random bytes are not");
  });
});

function keyOf({ sessions: [one] }: { readonly sessions: readonly { refresh_key: string }[] }): string {
  return one?.refresh_key ?? assert.fail("no key");
}

/** The letter of base64url whose unused bits are others. */
function nextOf(letter: string): string {
  const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  return letters[letters.indexOf(letter) ^ 1] ?? "";
}

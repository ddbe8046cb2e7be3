import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { compareVersions, isVersion } from "../../src/releases/semver.ts";

/** From the specification, semver.org/spec/v2.0.0 §11.2 to §11.4, and two more with the longest numbers. */
const inOrder =
  `0.0.0-0 0.0.0 1.0.0-alpha 1.0.0-alpha.1 1.0.0-alpha.beta 1.0.0-beta 1.0.0-beta.2 1.0.0-beta.11
1.0.0-rc.1 1.0.0 2.0.0 2.1.0 2.1.1 2.1.10 2.1.999999999999998 2.1.999999999999999`.split(/\s+/);

/** From the specification's list of strings to try its regular expression on. */
const valid = `0.0.4 1.1.2-prerelease+meta 1.1.2+meta-valid 1.0.0-alpha0.valid 1.0.0-rc.1+build.1
1.2.3----RC-SNAPSHOT.12.9.1--.12+788 1.0.0+0.build.1-rc.10000aaa-kk-0.1 1.0.0-0A.is.legal`.split(/\s+/);
/** The last three have more than 15 digits: not exact in JavaScript. */
const invalid = `1 1.2 1.2.3-0123 1.2.3-0123.0123 1.1.2+.123 +invalid -invalid alpha_beta 1.0.0-alpha_beta
1.0.0-alpha..1 01.1.1 1.01.1 1.1.01 1.2.3.DEV 1.2-SNAPSHOT 1.2.31.2.3----RC-SNAPSHOT.12.09.1--..12+788 v1.2.3
1.0.0- 1.0.0+ =1.2.3 V1.2.3 1.0.1000000000000000 1.0.0-1000000000000000
99999999999999999999999.999999999999999999.99999999999999999`.split(/\s+/);

describe("versions", () => {
  for (const text of valid) it(`accepts ${text}`, () => assert.equal(isVersion(text), true));
  for (const text of [...invalid, "", " 1.2.3", "1.2.3\n", "1.2.3 "])
    it(`refuses ${JSON.stringify(text)}`, () => assert.equal(isVersion(text), false));

  it("refuses more than 64 characters", () => {
    assert.equal(isVersion(`1.0.0-${"a".repeat(58)}`), true);
    assert.equal(isVersion(`1.0.0-${"a".repeat(59)}`), false);
  });

  it("are ordered as the specification orders them", () => {
    for (const [i, a] of inOrder.entries()) {
      for (const [j, b] of inOrder.entries()) {
        assert.equal(Math.sign(compareVersions(a, b)), Math.sign(i - j), `${a} against ${b}`);
      }
    }
  });

  it("are of one precedence whatever their build", () => {
    assert.equal(compareVersions("1.0.0+one", "1.0.0+two"), 0);
    assert.equal(compareVersions("1.0.0-rc.1+one", "1.0.0-rc.1"), 0);
  });

  it("are newer than any text that is no version", () => {
    assert.ok(compareVersions("v9.9.9", "0.0.0-0") < 0, "v9.9.9 was taken for a version");
    assert.equal(compareVersions("new", "newer"), 0);
  });
});

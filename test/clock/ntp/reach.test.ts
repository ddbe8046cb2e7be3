import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { shiftReach } from "../../../src/clock/ntp/source.ts";

describe("the reach register", () => {
  it("takes each poll in as its lowest bit", () => {
    // chronyc shows 17 (octal) after four answers and 36 after a fifth that was lost.
    const four = [true, true, true, true].reduce(shiftReach, 0);
    assert.equal(four, 0o17);
    assert.equal(shiftReach(four, false), 0o36);
  });

  it("forgets a poll after eight more", () => {
    const lost = Array.from({ length: 8 }, () => false);
    assert.equal(lost.slice(1).reduce(shiftReach, 1), 0o200);
    assert.equal(lost.reduce(shiftReach, 1), 0);
  });

  it("is full at 377 octal", () => {
    assert.equal(shiftReach(0o377, true), 0o377);
  });
});

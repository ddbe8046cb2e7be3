import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { fail, throttleAt, tried } from "../../../lab/simulated/throttle-at.ts";
import { network, play, plays } from "./script.ts";

describe("tries at one account from one client", () => {
  it("are free up to the 5th failure, and then wait 30 s, doubling to 15 min", async () => {
    const { more } = await play("ana home fails 5");
    // A refused try neither counts nor moves the end.
    for (const seconds of [30, 60, 120, 240, 480, 900, 900])
      more(`ana home waits ${seconds}, ${seconds - 1} s, ana home waits 1, 1 s, ana home waits 0`);
  });
  it(
    "do not count against another client, or another account from the same one",
    plays("ana home fails 5, ana away waits 0, bob home waits 0"),
  );
  it(
    "begin anew after a success",
    plays("ana home fails 4, ana home succeeds, ana home fails 5, ana home waits 30"),
  );
  it("are counted before they are checked (a hundred at once)", async () => {
    const { throttle, more } = await play("1 s");
    const begun = Array.from({ length: 5 }, () => throttle.begin("ana", "192.0.2.7"));
    more("ana home waits 30");
    for (const attempt of begun) attempt.fail();
    more("ana home waits 30");
  });
  it("are one at a time behind a delay, and failures where they are never settled", async () => {
    const { throttle, more } = await play("ana home fails 5, 30 s");
    throttle.begin("ana", "192.0.2.7");
    more("ana home waits 60");
  });
  it(
    "that are withdrawn have never been, and the delay that was over stays over",
    plays(
      "ana home withdraws 200, ana home fails 5, 30 s, ana home withdraws 1, ana home waits 0, ana home waits 60",
    ),
  );
  it(
    "are forgotten after a day without one, and not before",
    plays("ana home fails 5, 86399 s, ana home fails 1, ana home waits 60, 86400 s, ana home fails 5"),
  );
});

it(
  "the device itself is never refused and never counted, and its success is none of the network's",
  plays("ana home fails 5, ana device fails 200, ana device succeeds, ana home waits 30"),
);

describe("tries from one client at many accounts", () => {
  it(
    "count the setup token's too, which has no account",
    plays("token home fails 20, ana home waits 600, token home waits 600, token away waits 0"),
  );
  it("are not washed clean by successes (one valid account, guessing at the others)", async () => {
    const { throttle, more } = await play("1 s");
    for (let count = 0; count < 20; count += 1) {
      more(`user${count} home fails 1`);
      assert.equal(tried(throttle, "mallory", "192.0.2.7", "succeed"), count < 19 ? 0 : 600);
    }
    more("ana home waits 600");
  });
  it("that succeed are no failures, however many", plays("ana home succeeds 200"));
});

describe("an account that strangers fail at a hundred times in a row", () => {
  it(
    "gives each strange client one try a minute, and never refuses permanently",
    plays(
      "100 strangers at ana, ana away fails 1, ana away waits 60, ana 192.0.2.99 fails 1, ana 192.0.2.99 waits 60, 60 s, ana away succeeds 1",
    ),
  );
  it("is not so after 99", plays("98 strangers at ana, ana away fails 1, ana away withdraws 1"));
  it(
    "leaves a client that its user signed in from alone (locking out on purpose)",
    plays("ana home succeeds, 300 networks at ana, ana home fails 4, ana home succeeds"),
  );
  it(
    "is not made by failures from a known client, which have their own count",
    plays("ana home succeeds, 95 strangers at ana, ana home fails 5, ana away fails 4"),
  );
  it(
    "goes on for strangers although its user signs in from a known client",
    plays("ana home succeeds, 100 strangers at ana, ana home succeeds, ana away fails 1, ana away waits 60"),
  );
  it(
    "ends with a success from a strange client",
    plays("100 strangers at ana, ana 192.0.2.99 succeeds, ana away fails 5"),
  );
  it("ends when no stranger tries for a day", plays("100 strangers at ana, 86400 s, ana away fails 5"));
  it("is counted alike for a name without an account", async () => {
    const { throttle } = await throttleAt({ now: 500 });
    const name = "\u0000".repeat(10_000);
    for (let count = 0; count < 100; count += 1) fail(throttle, name, network(count), 1);
    fail(throttle, name, "198.51.100.9", 1);
    assert.equal(tried(throttle, name, "198.51.100.9"), 60);
  });
  it("stays so however many other names are tried (washing a count out of the table)", async () => {
    const { throttle, more } = await play("100 strangers at ana");
    for (let count = 0; count < 5_000; count += 1) fail(throttle, `nobody${count}`, network(count), 1);
    more("ana away fails 1, ana away waits 60");
  });
  it("comes to be although each try at it is followed by many at other names", async () => {
    const { throttle, more } = await play("1 s");
    let client = 0;
    const wrong = (name: string) => fail(throttle, name, network(++client), 1);
    for (let count = 0; count < 3_000; count += 1) wrong(`nobody${count}`);
    for (let count = 0; count < 100; count += 1) {
      wrong("ana");
      for (let other = 0; other < 20; other += 1) wrong(`other${count}-${other}`);
    }
    more("ana away fails 1, ana away waits 60");
  });
  it("is not washed out by tries that are withdrawn, which cost nothing (hashing_busy)", async () => {
    const { throttle, more } = await play("100 strangers at ana, bob home fails 5");
    for (let count = 0; count < 5_000; count += 1)
      tried(throttle, `nobody${count}`, network(count), "withdraw");
    more("ana away fails 1, ana away waits 60, bob home waits 30");
  });
});

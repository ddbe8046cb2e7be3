import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { fail, type Host, throttleAt, tried } from "../../../lab/simulated/throttle-at.ts";

const home = "192.0.2.7";
const away = "198.51.100.9";
const stranger = (index: number) => `203.0.113.${index}`;

describe("tries at one account from one client", () => {
  it("are free up to the 5th failure, and then wait 30 s, doubling to 15 min", async () => {
    const host: Host = { now: 500 };
    const { throttle } = await throttleAt(host);
    fail(throttle, "ana", home, 5);
    for (const seconds of [30, 60, 120, 240, 480, 900, 900]) {
      assert.equal(tried(throttle, "ana", home), seconds);
      host.now += seconds - 1;
      assert.equal(tried(throttle, "ana", home), 1, "a refused try neither counts nor moves the end");
      host.now += 1;
      assert.equal(tried(throttle, "ana", home), 0);
    }
  });

  it("do not count against another client, or another account from the same one", async () => {
    const { throttle } = await throttleAt({ now: 500 });
    fail(throttle, "ana", home, 5);
    assert.equal(tried(throttle, "ana", away), 0);
    assert.equal(tried(throttle, "bob", home), 0);
  });

  it("begin anew after a success", async () => {
    const { throttle } = await throttleAt({ now: 500 });
    fail(throttle, "ana", home, 4);
    assert.equal(tried(throttle, "ana", home, "succeed"), 0);
    fail(throttle, "ana", home, 5);
    assert.equal(tried(throttle, "ana", home), 30);
  });

  it("are counted before they are checked (a hundred at once)", async () => {
    const { throttle } = await throttleAt({ now: 500 });
    const begun = [];
    for (let count = 0; count < 5; count += 1) begun.push(throttle.begin("ana", home));
    assert.equal(tried(throttle, "ana", home), 30);
    for (const attempt of begun) attempt.fail();
    assert.equal(tried(throttle, "ana", home), 30);
  });

  it("are one at a time behind a delay", async () => {
    const host: Host = { now: 500 };
    const { throttle } = await throttleAt(host);
    fail(throttle, "ana", home, 5);
    host.now += 30;
    throttle.begin("ana", home);
    assert.equal(tried(throttle, "ana", home), 60);
  });

  it("that are never settled are failures", async () => {
    const { throttle } = await throttleAt({ now: 500 });
    for (let count = 0; count < 5; count += 1) throttle.begin("ana", home);
    assert.equal(tried(throttle, "ana", home), 30);
  });

  it("that are withdrawn have never been", async () => {
    const host: Host = { now: 500 };
    const { throttle } = await throttleAt(host);
    for (let count = 0; count < 200; count += 1) assert.equal(tried(throttle, "ana", home, "withdraw"), 0);
    fail(throttle, "ana", home, 5);
    host.now += 30;
    assert.equal(tried(throttle, "ana", home, "withdraw"), 0);
    assert.equal(tried(throttle, "ana", home), 0, "the delay that was over stays over");
    assert.equal(tried(throttle, "ana", home), 60);
  });

  it("are forgotten after a day without one, and not before", async () => {
    const host: Host = { now: 500 };
    const { throttle } = await throttleAt(host);
    fail(throttle, "ana", home, 5);
    host.now += 86_399;
    fail(throttle, "ana", home, 1);
    assert.equal(tried(throttle, "ana", home), 60);
    host.now += 86_400;
    fail(throttle, "ana", home, 5);
  });
});

describe("the device itself", () => {
  it("is never refused and never counted", async () => {
    const { throttle } = await throttleAt({ now: 500 });
    fail(throttle, "ana", home, 5);
    for (let count = 0; count < 200; count += 1) assert.equal(tried(throttle, "ana", null), 0);
    assert.equal(tried(throttle, "ana", null, "succeed"), 0);
    assert.equal(tried(throttle, "ana", home), 30, "its success is no success of the network's");
  });
});

describe("tries from one client at many accounts", () => {
  it("count the setup token's too, which has no account", async () => {
    const { throttle } = await throttleAt({ now: 1_000 });
    fail(throttle, null, home, 20);
    assert.equal(tried(throttle, "ana", home), 600);
    assert.equal(tried(throttle, null, home), 600);
    assert.equal(tried(throttle, null, away), 0);
  });

  it("are not washed clean by successes (one valid account, guessing at the others)", async () => {
    const { throttle } = await throttleAt({ now: 1_000 });
    for (let count = 0; count < 20; count += 1) {
      fail(throttle, `user${count}`, home, 1);
      assert.equal(tried(throttle, "mallory", home, "succeed"), count < 19 ? 0 : 600);
    }
    assert.equal(tried(throttle, "ana", home), 600);
  });

  it("that succeed are no failures, however many", async () => {
    const { throttle } = await throttleAt({ now: 1_000 });
    for (let count = 0; count < 200; count += 1) assert.equal(tried(throttle, "ana", home, "succeed"), 0);
  });
});

describe("an account that strangers fail at a hundred times in a row", () => {
  async function attacked(host: Host, failures = 100) {
    const { throttle } = await throttleAt(host);
    for (let count = 0; count < failures; count += 1) fail(throttle, "ana", stranger(count % 20), 1);
    return throttle;
  }

  it("gives each strange client one try a minute, and never refuses permanently", async () => {
    const host: Host = { now: 500 };
    const throttle = await attacked(host);
    for (const client of [away, stranger(100)]) {
      fail(throttle, "ana", client, 1);
      assert.equal(tried(throttle, "ana", client), 60);
    }
    host.now += 60;
    assert.equal(tried(throttle, "ana", away, "succeed"), 0, "its user gets in from a new address");
  });

  it("is not so after 99", async () => {
    const throttle = await attacked({ now: 500 }, 98);
    fail(throttle, "ana", away, 1);
    assert.equal(tried(throttle, "ana", away, "withdraw"), 0);
  });

  it("leaves a client that its user signed in from alone (locking out on purpose)", async () => {
    const host: Host = { now: 500 };
    const { throttle } = await throttleAt(host);
    assert.equal(tried(throttle, "ana", home, "succeed"), 0);
    for (let count = 0; count < 300; count += 1) fail(throttle, "ana", `2001:db8:${count}::/64`, 1);
    fail(throttle, "ana", home, 4);
    assert.equal(tried(throttle, "ana", home, "succeed"), 0);
  });

  it("is not made by failures from a known client, which have their own count", async () => {
    const { throttle } = await throttleAt({ now: 500 });
    tried(throttle, "ana", home, "succeed");
    for (let count = 0; count < 95; count += 1) fail(throttle, "ana", stranger(count % 20), 1);
    fail(throttle, "ana", home, 5);
    fail(throttle, "ana", away, 4);
  });

  it("goes on for strangers although its user signs in from a known client", async () => {
    const host: Host = { now: 500 };
    const { throttle } = await throttleAt(host);
    tried(throttle, "ana", home, "succeed");
    for (let count = 0; count < 100; count += 1) fail(throttle, "ana", stranger(count % 20), 1);
    tried(throttle, "ana", home, "succeed");
    fail(throttle, "ana", away, 1);
    assert.equal(tried(throttle, "ana", away), 60);
  });

  it("ends with a success from a strange client, or when no stranger tries for a day", async () => {
    const host: Host = { now: 500 };
    const throttle = await attacked(host);
    tried(throttle, "ana", stranger(200), "succeed");
    fail(throttle, "ana", away, 5);
    const another: Host = { now: 500 };
    const later = await attacked(another);
    another.now += 86_400;
    fail(later, "ana", away, 5);
  });

  it("is counted alike for a name without an account", async () => {
    const { throttle } = await throttleAt({ now: 500 });
    const name = "\u0000".repeat(10_000);
    for (let count = 0; count < 100; count += 1) fail(throttle, name, stranger(count % 20), 1);
    fail(throttle, name, away, 1);
    assert.equal(tried(throttle, name, away), 60);
  });

  it("stays so however many other names are tried (washing a count out of the table)", async () => {
    const throttle = await attacked({ now: 500 });
    for (let count = 0; count < 5_000; count += 1)
      fail(throttle, `nobody${count}`, `2001:db8:${count}::/64`, 1);
    fail(throttle, "ana", away, 1);
    assert.equal(tried(throttle, "ana", away), 60);
  });

  it("comes to be although each try at it is followed by many at other names", async () => {
    const { throttle } = await throttleAt({ now: 500 });
    let client = 0;
    const next = () => {
      client += 1;
      return `2001:db8:${client.toString(16)}::/64`;
    };
    for (let count = 0; count < 3_000; count += 1) fail(throttle, `nobody${count}`, next(), 1);
    for (let count = 0; count < 100; count += 1) {
      fail(throttle, "ana", next(), 1);
      for (let other = 0; other < 20; other += 1) fail(throttle, `other${count}-${other}`, next(), 1);
    }
    fail(throttle, "ana", away, 1);
    assert.equal(tried(throttle, "ana", away), 60);
  });

  it("is not washed out by tries that are withdrawn, which cost nothing (hashing_busy)", async () => {
    const throttle = await attacked({ now: 500 });
    fail(throttle, "bob", home, 5);
    for (let count = 0; count < 5_000; count += 1) {
      tried(throttle, `nobody${count}`, `2001:db8:${count.toString(16)}::/64`, "withdraw");
    }
    fail(throttle, "ana", away, 1);
    assert.equal(tried(throttle, "ana", away), 60);
    assert.equal(tried(throttle, "bob", home), 30);
  });
});

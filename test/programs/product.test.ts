import assert from "node:assert/strict";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { checkEvent } from "../../lab/agents/answer-rules.ts";
import { scratchDirectory } from "../../lab/basics/scratch.ts";
import { createVirtualTime } from "../../lab/simulated/virtual-time.ts";
import { allEvents, type OpenedLog, openLog } from "../../lab/state/event-directory.ts";
import { agentEvent, productEvent } from "../../src/journal/events/event.ts";
import type { ProductReport } from "../../src/product/reports.ts";
import type { ProductPage } from "../../src/product/visits.ts";
import { openProduct } from "../../src/programs/agent/product/wire-product.ts";

const page: ProductPage = {
  ...{ name: "pump", title: { en: "Pump" }, origin: "https://edge-7.example.net:444" },
  ...{ role: "operator", secretFile: null, signIn: "https://edge-7.example.net:8443" },
};

interface Named {
  readonly name?: string;
  readonly pages?: readonly ProductPage[];
  readonly units?: readonly string[];
  readonly versionFile?: string | null;
  /** The version of the release in force. */
  readonly binary?: string | null;
}

function opened({ name = "pump-7", pages = [page], units = [], versionFile = null, binary = null }: Named) {
  return openProduct({
    config: { product: { name, pages, units, reports: [], versionFile } },
    ...{ auth: {}, state: {} },
    host: { identity: { deviceId: "a".repeat(32) }, time: { uptime: () => 0 } },
    updates: { status: () => ({ installed: { rules: null, binary } }) },
  } as unknown as Parameters<typeof openProduct>[0]);
}

describe("the product that the host file names", () => {
  const path = (): string => join(scratchDirectory(), "version");

  it("is none where it names neither a product nor a page, and else has the pages for a role", async () => {
    const seen = async (named: Named, role: "operator" | "readonly" = "operator") => {
      const product = (await opened(named)).seenBy(role);
      return product && [product.name, product.pages.length];
    };
    assert.equal(await seen({ name: "steward", pages: [] }), null);
    assert.equal(await seen({ name: "steward", pages: [], units: ["pump.service"] }), null);
    assert.deepEqual(await seen({ pages: [] }), ["pump-7", 0]);
    assert.deepEqual(await seen({ name: "steward" }), ["steward", 1]);
    assert.deepEqual(await seen({}, "readonly"), ["pump-7", 0]);
  });

  it("lets its units follow sessions and ask about tokens, also without a page", async () => {
    for (const [pages, units, isThere] of [
      [[], [], false],
      [[], ["pump.service"], true],
      [[page], ["pump.service"], true],
    ] as const) {
      const { follow, introspect } = await opened({ pages, units });
      assert.deepEqual([follow !== null, introspect !== null], [isThere, isThere]);
    }
  });

  it("has the version of its release in force, else that of its own file, and Steward's never", async () => {
    const versionFile = path();
    writeFileSync(versionFile, "2.4.0");
    for (const [named, version] of [
      [{ binary: "3.0.0", versionFile }, "3.0.0"],
      [{ versionFile }, "2.4.0"],
      [{ name: "steward", binary: "1.0.0", versionFile }, "2.4.0"],
      [{ name: "steward", binary: "1.0.0" }, null],
    ] as const)
      assert.equal((await opened(named)).seenBy("admin")?.version, version);
  });

  const linkTo = (text: string) => (file: string) => {
    const present = path();
    writeFileSync(present, text);
    symlinkSync(present, file);
  };

  it("takes the first line of that file, as far as it can be seen, and none of a file that is odd", async () => {
    for (const [what, make, version] of [
      ["with the next line", (file) => writeFileSync(file, " 2.4.0 \nbuilt on Monday\n"), "2.4.0"],
      ["of Windows", (file) => writeFileSync(file, "\ufeff2.4.0\r\n"), "2.4.0"],
      ["with control characters", (file) => writeFileSync(file, "2.4\u001b[2J\u0000.0\u202e\n"), "2.4[2J.0"],
      ["with nothing else", (file) => writeFileSync(file, "\u0007\u202e ä\n2.4.0"), null],
      ["no text", (file) => writeFileSync(file, Buffer.from([0xff, 0xfe, 0x32, 0x00])), "2"],
      ["long", (file) => writeFileSync(file, "7".repeat(4_096)), "7".repeat(64)],
      ["empty", (file) => writeFileSync(file, ""), null],
      ["of 5 KB", (file) => writeFileSync(file, `2.4.0\n${"x".repeat(5_000)}`), null],
      ["a directory", (file) => mkdirSync(file), null],
      ["a link to the present one", linkTo("2.4.0\n"), "2.4.0"],
      ["a link to nothing", (file) => symlinkSync("/nowhere/version", file), null],
      ["a link to a device", (file) => symlinkSync("/dev/zero", file), null],
      ["absent", () => undefined, null],
    ] as readonly (readonly [string, (file: string) => unknown, string | null])[]) {
      const versionFile = path();
      make(versionFile);
      assert.equal((await opened({ versionFile })).seenBy("admin")?.version, version, what);
    }
  });
});

describe("the product's word in an agent", () => {
  const directory = scratchDirectory();
  const low: ProductReport = {
    ...{ code: "low", level: "failing", page: null, path: "/", isMessage: true, ttlSeconds: 900 },
    text: { en: "The pressure is {bar} bar" },
  };
  const line = (verb: string) => ({ [verb]: "low", numbers: { bar: 1.2 } });

  /** The product of an agent whose record is this one. */
  async function speaking(
    { events }: Pick<OpenedLog, "events">,
    units: readonly string[] = ["pump.service"],
  ) {
    const time = createVirtualTime();
    const product = await openProduct({
      config: {
        product: { name: "pump-7", pages: [], units, reports: [low], versionFile: null },
        ...{ runDirectory: directory, log: () => undefined },
      },
      auth: {},
      host: {
        identity: { deviceId: "a".repeat(32) },
        time: { uptime: time.now, timers: time.hostTimers },
        systemd: { unitId: (unit: string) => unit },
      },
      state: { events },
    } as unknown as Parameters<typeof openProduct>[0]);
    await product.start();
    return { time, product, say: (verb: string) => product.word?.take("pump.service", line(verb)) };
  }
  const needsOf = ({ product }: Awaited<ReturnType<typeof speaking>>) =>
    product.needs().map(({ code, level, detail }) => [code, level, detail.split(". ", 1)[0]]);

  it("is not heard where no unit is named", async (test) => {
    const { product, say } = await speaking(await openLog(test), []);
    assert.deepEqual(
      [say("event"), product.word, product.needs(), product.stop()],
      [undefined, null, [], undefined],
    );
  });

  it("is an event of its unit in the record, and what is only counted is there after a stop", async (test) => {
    const log = await openLog(test);
    const { product, say } = await speaking(log);
    for (let index = 0; index < 50; index += 1) say("event");
    product.stop();
    await log.events.close();
    const next = await openLog(test, { directory: log.directory });
    const all = await allEvents(next.events);
    for (const event of all) checkEvent(event);
    assert.ok(
      all.every(
        ({ type, log, actor }) =>
          type === "product.reported" && log === "reports" && actor.name === "pump.service",
      ),
    );
    assert.equal(
      all.reduce((sum, { count }) => sum + count, 0),
      50,
    );
    assert.deepEqual(all[0]?.details, {
      code: "low",
      level: "failing",
      is_message: true,
      en: "The pressure is 1.2 bar",
    });
  });

  it("has its needs again after a restart, of those that began and did not end, and no others", async (test) => {
    const { events } = await openLog(test);
    const told = { level: "failing", name: "low", unit: "pump.service", en: "The pressure was 0.3 bar" };
    await events.record(productEvent("need.began", "pump.service", { need: "product", ...told }));
    await events.record(
      agentEvent("need.began", { need: "disk", level: "failing", reason: "disk_space_low" }),
    );
    const first = await speaking({ events });
    assert.deepEqual(needsOf(first), [["product", "failing", "The pressure was 0.3 bar"]]);
    first.time.pass(900);
    assert.deepEqual(needsOf(first), [["product_silent", "failing", "No news of: The pressure was 0.3 bar"]]);
    await events.record(productEvent("need.ended", "pump.service", { need: "product", ...told }));
    await events.record(productEvent("need.began", "pump.service", { need: "product_silent", ...told }));
    const second = await speaking({ events });
    assert.deepEqual(needsOf(second), needsOf(first));
    second.say("ok");
    assert.deepEqual(needsOf(second), []);
    await events.record(productEvent("need.ended", "pump.service", { need: "product_silent", ...told }));
    assert.deepEqual(needsOf(await speaking({ events })), []);
  });
});

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { SignedRepository } from "../../../lab/publisher/signed-repository.ts";
import { temporaryDocument } from "../../../lab/simulated/virtual-host.ts";
import { codeFrom, errorFrom } from "../../../lab/simulated/virtual-sign-in.ts";
import { createVirtualTime } from "../../../lab/simulated/virtual-time.ts";
import { comes, comesToRest } from "../../../lab/state/state-directory.ts";
import { type AccountsState, accountsKind } from "../../../src/accounts/users/account.ts";
import { StewardError } from "../../../src/contract/errors.ts";
import type { Configuration, ConfigurationChange } from "../../../src/contract/types.ts";
import type { Document } from "../../../src/store/documents/document.ts";
import {
  accountOf,
  anna,
  berta,
  hashOf,
  orderOf,
  presentOf,
  tokenOf,
  virtualDevice,
} from "./virtual-device.ts";

const named = (changes: readonly ConfigurationChange[] | null) =>
  changes?.map(({ action, subject, name }) => `${action} ${subject} ${name}`.trim());

describe("a configuration ends the sessions", () => {
  const factor = { sealed_secret: "v1.former", enrolled_at: "2026-11-01T00:00:00.000Z", recovery_hashes: [] };
  const carla = accountOf("carla", { two_factor: factor });
  for (const [name, file, ended, forget = []] of [
    ["of a user whom it disables", { users: [{ name: "berta", enabled: false }] }, [berta.id]],
    ["of one of another password", { users: [{ name: "berta", password_hash: hashOf("B") }] }, [berta.id]],
    [
      "of those who go, whom it forgets by name and id",
      { users: [{ name: "anna" }], users_not_named: "remove" },
      [berta.id, carla.id],
      [berta, carla].map(({ id, username }) => ({ id, username })),
    ],
    ["of none for a role or name", { users: [{ name: "berta", role: "readonly", display_name: "B" }] }, []],
    ["of no user because of settings", { settings: { device: { name: "edge-7" } } }, []],
  ] as [string, object, string[], object[]?][])
    it(name, async () => {
      const { apply, world } = await virtualDevice({ present: presentOf([anna, berta, carla]) });
      await apply(file);
      const [followed, ...more] = world.followed;
      assert.deepEqual([followed?.endSessions, followed?.forget, more], [ended, forget, []]);
    });

  it("of a user whose second factor becomes another one", async () => {
    const { configurator, leave, world } = await virtualDevice({ present: presentOf([anna, berta, carla]) });
    const order = { ...orderOf({ users: [{ name: "carla" }] }), secondFactors: { carla: "v1.next" } };
    await leave({ order, endSessions: [carla.id] });
    assert.deepEqual(named(await configurator.resume()), ["changed user carla"]);
    assert.deepEqual(world.followed[0]?.endSessions, [carla.id]);
  });
});

describe("an order that an interrupted process has left", () => {
  const withoutAnna = orderOf({ users: [{ name: "anna", enabled: false }] });

  it("is dropped where it would leave no administrator: no later start tries it again", async () => {
    // When it was decided, there was another administrator.
    const { configurator, leave, decided, present, world } = await virtualDevice();
    await leave({ order: withoutAnna, endSessions: [anna.id] });
    const before = present();
    assert.equal(await codeFrom(configurator.resume()), "validation_failed");
    assert.equal(await decided(), null);
    assert.equal(await configurator.resume(), null);
    assert.deepEqual(present(), before);
    assert.deepEqual(world.followed, []);
  });

  /** An interrupted process had written these of it: users, tokens, settings. */
  const written = Array.from({ length: 8 }, (_, index) => [1, 2, 4].map((bit) => (index & bit) !== 0));
  for (const [users, tokens, settings] of written)
    it(`ends the same with ${JSON.stringify({ users, tokens, settings })} on the disk`, async () => {
      const file = {
        users: [
          { name: "fleet", role: "admin", password_hash: hashOf("F") },
          { name: "berta", enabled: false },
        ],
        tokens: [{ token_hash: "f".repeat(64), name: "metrics", user: "fleet", scopes: ["system:read"] }],
        tokens_not_named: "remove",
        settings: { device: { name: "edge-7" } },
      } satisfies Omit<Configuration, "version">;
      const start = presentOf([anna, berta], [tokenOf("a", anna)]);
      const whole = await virtualDevice({ present: start });
      whole.world.follow = async () => {
        const transaction = await whole.decided();
        assert.ok(transaction, "the order is on the disk until all of it is");
        const next = whole.present();
        const cut = await virtualDevice({
          present: {
            users: users ? next.users : start.users,
            tokens: tokens ? next.tokens : start.tokens,
            settings: settings ? next.settings : start.settings,
          },
        });
        await cut.leave(transaction);
        cut.host.pass(3_600);
        await cut.configurator.resume();
        assert.deepEqual(cut.present(), next);
        assert.equal(await cut.decided(), null);
        assert.deepEqual(cut.world.followed[0]?.endSessions, [berta.id], "they end all the same");
        assert.equal(await cut.configurator.resume(), null);
      };
      await whole.apply(file);
      assert.equal(await whole.decided(), null);
      assert.equal(whole.world.followed.length, 1);
    });
});

describe("a configuration that awaits a root of trust", () => {
  const publisher = new SignedRepository();
  const root = publisher.metadata("1.root");
  const file = { update_root: JSON.parse(root.toString()), settings: { device: { name: "edge-7" } } };
  const begun = async () => {
    const device = await virtualDevice();
    const { awaits, changes } = await device.apply(file);
    assert.match(awaits ?? "", /^[0-9a-f]{64}$/);
    assert.deepEqual(named(changes), ["created update_root", "changed settings"]);
    assert.equal((await device.decided())?.awaits, awaits);
    assert.equal(device.settings.read().device.name, "");
    assert.deepEqual(device.world.followed, []);
    return device;
  };

  it("is put in force by that root, at the next start or when it is asked for again", async () => {
    for (const deed of ["resume", "apply"] as const) {
      const { world, configurator, settings, decided, apply } = await begun();
      world.installed = root;
      const changes = deed === "resume" ? await configurator.resume() : (await apply(file)).changes;
      assert.deepEqual(named(changes), ["changed settings"]);
      assert.equal(settings.read().device.name, "edge-7");
      assert.equal(await decided(), null);
    }
  });

  it("is put in force by no other root, and not without one", async () => {
    const other = new SignedRepository().metadata("1.root");
    const broken = Buffer.from("{}");
    for (const installed of [null, other, broken]) {
      const { world, configurator, settings, decided } = await begun();
      world.installed = installed;
      assert.equal(await configurator.resume(), null);
      assert.equal(settings.read().device.name, "");
      assert.equal(await decided(), null, "it is dropped");
      world.installed = root;
      assert.equal(await configurator.resume(), null);
    }
  });

  it("is kept where the installed root cannot be looked for at all", async () => {
    const device = await virtualDevice({ readInstalledRoot: () => Promise.reject(new Error("EIO")) });
    await device.leave({ order: orderOf({ settings: file.settings }), awaits: "0".repeat(64) });
    await assert.rejects(device.configurator.resume(), /EIO/);
    assert.equal((await device.decided())?.awaits, "0".repeat(64));
  });

  it("waits a minute: what people change later is not undone", async (test) => {
    test.mock.timers.enable({ apis: ["setTimeout"] });
    const { world, configurator, settings, decided, apply } = await begun();
    test.mock.timers.tick(59_999);
    await apply({}, true);
    assert.notEqual(await decided(), null);
    test.mock.timers.tick(1);
    // In its turn, which comes after that of the minute's end.
    await apply({}, true);
    assert.equal(await decided(), null);
    world.installed = root;
    assert.equal(await configurator.resume(), null);
    assert.equal(settings.read().device.name, "");
  });

  it("gives way to the next one, and is forgotten where that has nothing to do; a check leaves it", async (test) => {
    test.mock.timers.enable({ apis: ["setTimeout"] });
    const { apply, decided, settings } = await begun();
    await apply({ settings: { device: { name: "edge-8" } } }, true);
    assert.notEqual(await decided(), null);
    await apply({ settings: { device: { name: "" } } });
    assert.equal(await decided(), null, "nothing is left to be put in force");
    await apply(file);
    await apply({ settings: { device: { name: "edge-8" } } });
    assert.equal(await decided(), null);
    test.mock.timers.tick(60_000);
    assert.equal(settings.read().device.name, "edge-8");
  });
});

describe("a configuration", () => {
  it("that is only checked says what would change; neither that nor one that changes nothing has a consequence", async () => {
    const { apply, present, decided, world } = await virtualDevice();
    const before = present();
    const { changes, awaits } = await apply({ users: [{ name: "berta", role: "readonly" }] }, true);
    assert.deepEqual([named(changes), awaits], [["changed user berta"], null]);
    assert.deepEqual((await apply({ users: [{ name: "berta", role: "operator" }] })).changes, []);
    assert.deepEqual([present(), await decided(), world.followed], [before, null, []]);
    assert.equal(present().users, before.users);
  });

  it("is judged by what the one before it has made of the state, also where both come at once", async () => {
    const present = presentOf([anna, accountOf("root-admin", { role: "admin" })]);
    const { apply, users } = await virtualDevice({ present });
    const disabling = (name: string) => codeFrom(apply({ users: [{ name, enabled: false }] }));
    const ends = await Promise.all([disabling("anna"), disabling("root-admin")]);
    const enabled = users.read().accounts.map((account) => account.enabled);
    assert.deepEqual(
      [ends, enabled],
      [
        ["done", "validation_failed"],
        [false, true],
      ],
    );
  });

  it("is on the disk before its consequences, and over after them", async () => {
    const { apply, world, decided, users } = await virtualDevice();
    let seen: unknown;
    world.follow = async () => {
      const order = (await decided())?.order;
      seen = [order?.configuration.users?.length, users.trouble(), users.read().accounts[1]?.enabled];
    };
    await apply({ users: [{ name: "berta", enabled: false }] });
    assert.deepEqual(seen, [1, null, false]);
    assert.equal(await decided(), null);
  });

  it("stays decided until the disk has taken all of it, which is looked at every 5 seconds", async () => {
    const time = createVirtualTime();
    const real = await temporaryDocument(accountsKind);
    await real.update(() => presentOf().users);
    let failure: StewardError | null = new StewardError("storage_full", "The disk is full.");
    const users = {
      ...{ read: () => real.read(), save: () => real.save(), trouble: () => failure },
      note: (...given: Parameters<typeof real.note>) => real.note(...given),
    } as unknown as Document<AccountsState>;
    const { apply, decided } = await virtualDevice({ users, timers: time.hostTimers });
    await apply({ users: [{ name: "berta", enabled: false }] });
    time.pass(60);
    await comesToRest();
    assert.notEqual(await decided(), null, "a power cut now would lose a part of it");
    failure = null;
    time.pass(4);
    await comesToRest();
    assert.notEqual(await decided(), null);
    time.pass(1);
    await comes("the order is removed", async () => (await decided()) === null);
  });

  it("names each fault with its place, and the number of the others in the sentence", async () => {
    const { apply } = await virtualDevice();
    const users = [{ name: "anna", enabled: false }, { name: "carla" }];
    const error = await errorFrom(apply({ users }));
    const sentence =
      /^The configuration is refused: \/users\/1\/role .*, and 2 more\. Nothing was changed\.$/;
    assert.match(error?.message ?? "", sentence);
    const places = error?.details?.errors?.map(({ pointer }) => pointer);
    assert.deepEqual(places, ["/users/1/role", "/users/1/password_hash", "/users/0"]);
    const last = /who can sign in: anna is disabled; give one of them a password_hash\. Nothing/;
    await assert.rejects(apply({ users: users.slice(0, 1) }), last);
  });
});

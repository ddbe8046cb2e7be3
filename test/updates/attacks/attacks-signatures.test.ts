import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { recovers, refused, startLab, withstands } from "../../../lab/devices/updating-device.ts";
import { SignedRepository } from "../../../lab/publisher/signed-repository.ts";
import { createSigningKey, placeholderKey, underAnotherId } from "../../../lab/publisher/signing-key.ts";
import { attacked, type Change, keptBefore, keyOf, type Role, refusedAt, roles } from "./fixture.ts";

const invalid = "update_signature_invalid";

describe("arbitrary installation attack", () => {
  it("fails with a whole repository of the attacker's own", async (test) => {
    const lab = await startLab(test);
    const evil = new SignedRepository();
    evil.addRelease({ version: "9.0.0" });
    for (let count = 0; count < 5; count += 1) evil.publish("targets", "rules");
    // The same root version as known, and then a next one of the attacker's.
    lab.server.files = evil.files;
    await withstands(lab, { code: invalid });
    evil.publishRoot();
    lab.server.files = evil.files;
    await withstands(lab, { code: invalid });
  });

  const forgeries: [what: string, forge: (evil: SignedRepository, role: Role) => void, pinned?: boolean][] = [
    [
      "that a stranger's key has signed",
      ({ signers }, role) => Object.assign(signers, { [role]: [createSigningKey()] }),
      true,
    ],
    ["without a signature", ({ signers }, role) => Object.assign(signers, { [role]: [] })],
    [
      "that was changed after it was signed",
      (evil, role) => {
        evil.tampering.afterSigning = (written, envelope) => {
          if (written === role) envelope.signed.expires = "2039-01-01T00:00:00Z";
          return envelope;
        };
      },
    ],
  ];
  for (const [what, forge, pinned = false] of forgeries)
    for (const role of roles)
      it(`fails with a ${role} ${what}`, (test) => {
        const change: Change = (evil) => {
          forge(evil, role);
          evil.addRelease({ version: "9.0.0" });
          evil.publish("targets", "rules");
        };
        return attacked(test, refusedAt(role), change, { pinned });
      });

  it("fails with a stranger's signature under the key id of the trusted key", (test) =>
    attacked(test, invalid, (evil) => {
      evil.signers.timestamp = [{ ...createSigningKey(), id: keyOf(evil, "timestamp").id }];
      evil.publishTimestamp();
    }));

  it("fails with a root that its own keys have signed and the trusted ones have not", (test) =>
    attacked(test, invalid, (evil) => {
      evil.keys.root = [createSigningKey()];
      evil.signers.root = evil.keys.root;
      evil.publishRoot();
    }));

  it("fails with a root that the trusted keys have signed and its own have not", (test) =>
    attacked(test, invalid, (evil) => {
      evil.signers.root = evil.keys.root ?? [];
      evil.keys.root = [createSigningKey()];
      evil.publishRoot();
    }));
});

describe("key compromise below the threshold", () => {
  const options = {
    thresholds: { root: 2, timestamp: 2, snapshot: 2, targets: 2, rules: 2 },
    keyCounts: { root: 3, timestamp: 3, snapshot: 3, targets: 3, rules: 3 },
  };

  for (const role of roles)
    it(`does not do for the ${role}: one stolen key of two that must sign`, (test) => {
      const change: Change = (evil) => {
        evil.signers[role] = [keyOf(evil, role), createSigningKey()];
        evil.publish("targets", "rules");
      };
      return attacked(test, refusedAt(role), change, options);
    });

  it("does not do for the root: one stolen key of two that must sign", (test) => {
    const change: Change = (evil) => {
      evil.keys.root = [keyOf(evil, "root"), createSigningKey()];
      evil.signers.root = evil.keys.root;
      evil.publishRoot();
    };
    return attacked(test, invalid, change, options);
  });
});

describe("duplicate keys and signatures", () => {
  const twoMustSign = { thresholds: { timestamp: 2 }, keyCounts: { timestamp: 2 } };

  it("the same signature twice does not count as two, nor is such a file taken", (test) => {
    const change: Change = (evil) => {
      evil.signers.timestamp = [keyOf(evil, "timestamp"), keyOf(evil, "timestamp")];
      evil.publishTimestamp();
    };
    return attacked(test, "update_metadata_malformed", change, twoMustSign);
  });

  it("two signatures of one key, with the key id written in two ways, are one", (test) => {
    const change: Change = (evil) => {
      const stolen = keyOf(evil, "timestamp");
      evil.signers.timestamp = [stolen, { ...stolen, id: stolen.id.toUpperCase() }];
      evil.publishTimestamp();
    };
    return attacked(test, invalid, change, twoMustSign);
  });

  for (const role of roles)
    it(`one public key under two key ids is one signer of the ${role}`, async (test) => {
      const lab = await startLab(test, { isNew: true });
      const { repository, server } = lab;
      const key = keyOf(repository, role);
      repository.keys[role] = [key, underAnotherId(key)];
      repository.thresholds[role] = 2;
      repository.publishRoot();
      repository.publish("targets", "rules");
      const search = async () => (await lab.refresh()).list("stable", "rules");
      await refused(invalid, search());
      // The publisher puts it right: two keys that are two.
      repository.keys[role] = [key, createSigningKey()];
      repository.publishRoot();
      server.files = repository.files;
      await recovers(lab);
    });

  it("a root whose role names one key id twice is not taken", (test) =>
    attacked(test, "update_metadata_malformed", (evil) => {
      evil.tampering.beforeSigning = (_, signed) => {
        if (signed._type === "root") signed.roles.timestamp?.keyids.push(...signed.roles.timestamp.keyids);
        return signed;
      };
      evil.publishRoot();
    }));
});

describe("a revoked key", () => {
  /** The publisher has replaced the key of a role, and the device knows it; the old key signs the next version. */
  const afterRevocation =
    (role: string, published: string[], signed: string[]): Change =>
    async (_, lab) => {
      const { repository } = lab;
      const stolen = repository.keys[role] ?? [];
      repository.keys[role] = [createSigningKey()];
      repository.publishRoot();
      repository.publish(...published);
      await (await lab.refresh()).list("stable", "rules");
      const evil = repository.fork();
      evil.signers[role] = stolen;
      if (role === "root") Object.assign(evil.keys, { root: stolen });
      if (role === "root") evil.publishRoot();
      else evil.publish(...signed);
      return evil.files;
    };

  for (const role of ["timestamp", "snapshot", "targets"])
    it(`signs no ${role} any more once a new root is out`, (test) => {
      const both = ["targets", "rules"];
      return attacked(test, { code: invalid, moved: keptBefore(role) }, afterRevocation(role, both, both));
    });

  it("signs no root any more", (test) => attacked(test, invalid, afterRevocation("root", ["rules"], [])));

  it("signs no rules any more once the targets delegate to another", (test) => {
    const expected = { code: invalid, moved: ["timestamp", "snapshot"], search: true };
    return attacked(test, expected, afterRevocation("rules", ["targets", "rules"], ["rules"]));
  });

  it("has signed rules that are not trusted any more, though they lie on the device and are on offer", async (test) => {
    const lab = await startLab(test);
    lab.repository.keys.rules = [createSigningKey()];
    lab.repository.publish("targets");
    await refused(invalid, (await lab.refresh()).list("stable", "rules"));
    await recovers(lab);
  });
});

describe("placeholder keys in a root", () => {
  const prime = "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f";
  const small = "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05";
  const placeholders: [string, string, RegExp][] = [
    ["all zero", "00".repeat(32), /all zero/],
    ["the neutral point", `01${"00".repeat(31)}`, /neutral/],
    ["the neutral point, with a sign", `01${"00".repeat(30)}80`, /neutral/],
    ["a point of small order", small, /small order/],
    ["the point of order two", `ec${"ff".repeat(30)}7f`, /small order/],
    ["a y that is the field's prime", prime, /form/],
    ["a y above the field's prime", "ff".repeat(32), /form/],
    ["31 bytes", "aa".repeat(31), /31 bytes/],
    ["no hex", "not a key", /0 bytes/],
  ];
  for (const [name, hex, words] of placeholders)
    it(`refuses a next root with a key of ${name}`, (test) =>
      attacked(test, { code: invalid, words }, (evil) => {
        evil.keys.timestamp?.push(placeholderKey(hex));
        evil.publishRoot();
      }));

  it("does not accept the neutral point as a key that signs everything", (test) =>
    attacked(test, invalid, (evil) => {
      // R the neutral point and S zero: fits every message under the neutral key, in a lax verifier.
      evil.keys.root = [placeholderKey(`01${"00".repeat(31)}`, `01${"00".repeat(63)}`)];
      evil.signers.root = evil.keys.root;
      evil.publishRoot();
    }));

  it("refuses one that has got among the trusted files, at each load", async (test) => {
    const { openMetadataFiles } = await import("../../../src/tuf/metadata-files.ts");
    const lab = await startLab(test);
    const evil = lab.repository.fork();
    evil.keys.timestamp = [placeholderKey("00".repeat(32))];
    evil.publishRoot();
    await (await openMetadataFiles(lab.metadata)).write("root", evil.metadata("2.root"));
    const error = await refused("update_root_unusable", lab.refresh());
    assert.match(error.message, /all zero/);
  });
});

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type Lab, recovers, refused, startLab, withstands } from "../../../lab/devices/updating-device.ts";
import { SignedRepository } from "../../../lab/publisher/signed-repository.ts";
import { createSigningKey, placeholderKey, underAnotherId } from "../../../lab/publisher/signing-key.ts";

const roles = ["timestamp", "snapshot", "targets", "rules"];

/** The roles that are verified and kept before the role's own file is read. */
function keptBefore(role: string): string[] {
  return roles.slice(0, roles.indexOf(role));
}

/** A further version in the attacker's hands, who has the keys of every role but this one. */
function forkWithout(lab: Lab, role: string): SignedRepository {
  const evil = lab.repository.fork();
  evil.signers[role] = [createSigningKey()];
  lab.server.files = evil.files;
  return evil;
}

describe("arbitrary installation attack", () => {
  it("fails with a whole repository of the attacker's own", async (test) => {
    const lab = await startLab(test);
    const evil = new SignedRepository();
    evil.addRelease({ version: "9.0.0" });
    for (let count = 0; count < 5; count += 1) evil.publish("targets", "rules");
    // The same root version as known, and then a next one of the attacker's.
    lab.server.files = evil.files;
    await withstands(lab, { code: "update_signature_invalid" });
    evil.publishRoot();
    lab.server.files = evil.files;
    await withstands(lab, { code: "update_signature_invalid" });
  });

  for (const role of roles) {
    it(`fails with a ${role} that a stranger's key has signed`, async (test) => {
      const lab = await startLab(test);
      const evil = forkWithout(lab, role);
      evil.addRelease({ version: "9.0.0" });
      evil.publish("targets", "rules");
      await withstands(lab, { code: "update_signature_invalid", moved: keptBefore(role), search: true });
    });

    it(`fails with a ${role} that was changed after it was signed`, async (test) => {
      const lab = await startLab(test, { pinned: false });
      const evil = lab.repository.fork();
      evil.tampering.afterSigning = (written, envelope) => {
        if (written === role) envelope.signed.expires = "2039-01-01T00:00:00Z";
        return envelope;
      };
      evil.publish("targets", "rules");
      lab.server.files = evil.files;
      await withstands(lab, { code: "update_signature_invalid", moved: keptBefore(role), search: true });
    });

    it(`fails with a ${role} without a signature`, async (test) => {
      const lab = await startLab(test, { pinned: false });
      const evil = lab.repository.fork();
      evil.signers[role] = [];
      evil.publish("targets", "rules");
      lab.server.files = evil.files;
      await withstands(lab, { code: "update_signature_invalid", moved: keptBefore(role), search: true });
    });
  }

  it("fails with a stranger's signature under the key id of the trusted key", async (test) => {
    const lab = await startLab(test);
    const evil = lab.repository.fork();
    const [trusted] = lab.repository.keys.timestamp ?? [];
    assert.ok(trusted, "the lab has a key for timestamps");
    evil.signers.timestamp = [{ ...createSigningKey(), id: trusted.id }];
    evil.publishTimestamp();
    lab.server.files = evil.files;
    await withstands(lab, { code: "update_signature_invalid" });
  });

  it("fails with a root that its own keys have signed and the trusted ones have not", async (test) => {
    const lab = await startLab(test);
    const evil = lab.repository.fork();
    const key = createSigningKey();
    evil.keys.root = [key];
    evil.signers.root = [key];
    evil.publishRoot();
    lab.server.files = evil.files;
    await withstands(lab, { code: "update_signature_invalid" });
  });

  it("fails with a root that the trusted keys have signed and its own have not", async (test) => {
    const lab = await startLab(test);
    const evil = lab.repository.fork();
    evil.signers.root = lab.repository.keys.root ?? [];
    evil.keys.root = [createSigningKey()];
    evil.publishRoot();
    lab.server.files = evil.files;
    await withstands(lab, { code: "update_signature_invalid" });
  });
});

describe("key compromise below the threshold", () => {
  const options = {
    thresholds: { root: 2, timestamp: 2, snapshot: 2, targets: 2, rules: 2 },
    keyCounts: { root: 3, timestamp: 3, snapshot: 3, targets: 3, rules: 3 },
  };

  for (const role of roles) {
    it(`does not do for the ${role}: one stolen key of two that must sign`, async (test) => {
      const lab = await startLab(test, options);
      const evil = lab.repository.fork();
      evil.signers[role] = [...(lab.repository.keys[role] ?? []).slice(0, 1), createSigningKey()];
      evil.publish("targets", "rules");
      lab.server.files = evil.files;
      await withstands(lab, { code: "update_signature_invalid", moved: keptBefore(role), search: true });
    });
  }

  it("does not do for the root: one stolen key of two that must sign", async (test) => {
    const lab = await startLab(test, options);
    const evil = lab.repository.fork();
    const [stolen] = lab.repository.keys.root ?? [];
    assert.ok(stolen, "the lab has a key for roots");
    const own = createSigningKey();
    evil.keys.root = [stolen, own];
    evil.signers.root = [stolen, own];
    evil.publishRoot();
    lab.server.files = evil.files;
    await withstands(lab, { code: "update_signature_invalid" });
  });
});

describe("duplicate keys and signatures", () => {
  const twoMustSign = { thresholds: { timestamp: 2 }, keyCounts: { timestamp: 2 } };

  it("the same signature twice does not count as two, nor is such a file taken", async (test) => {
    const lab = await startLab(test, twoMustSign);
    const evil = lab.repository.fork();
    const [stolen] = lab.repository.keys.timestamp ?? [];
    assert.ok(stolen, "the lab has a key for timestamps");
    evil.signers.timestamp = [stolen, stolen];
    evil.publishTimestamp();
    lab.server.files = evil.files;
    await withstands(lab, { code: "update_metadata_malformed" });
  });

  it("two signatures of one key, with the key id written in two ways, are one", async (test) => {
    const lab = await startLab(test, twoMustSign);
    const evil = lab.repository.fork();
    const [stolen] = lab.repository.keys.timestamp ?? [];
    assert.ok(stolen, "the lab has a key for timestamps");
    evil.signers.timestamp = [stolen, { ...stolen, id: stolen.id.toUpperCase() }];
    evil.publishTimestamp();
    lab.server.files = evil.files;
    await withstands(lab, { code: "update_signature_invalid" });
  });

  for (const role of ["timestamp", "snapshot", "targets", "rules"]) {
    it(`one public key under two key ids is one signer of the ${role}`, async (test) => {
      const lab = await startLab(test, { isNew: true });
      const { repository, server } = lab;
      const honest = repository.fork();
      const [key] = repository.keys[role] ?? [];
      assert.ok(key, "the lab has a key for the role");
      repository.keys[role] = [key, underAnotherId(key)];
      repository.thresholds[role] = 2;
      repository.publishRoot();
      repository.publish("targets", "rules");
      await refused(
        "update_signature_invalid",
        lab.refresh().then((refreshed) => refreshed.list("stable", "rules")),
      );
      // The publisher puts it right: two keys that are two.
      honest.keys[role] = [key, createSigningKey()];
      honest.thresholds[role] = 2;
      repository.keys[role] = honest.keys[role] ?? [];
      repository.publishRoot();
      server.files = repository.files;
      await recovers(lab);
    });
  }

  it("a root whose role names one key id twice is not taken", async (test) => {
    const lab = await startLab(test);
    const evil = lab.repository.fork();
    evil.tampering.beforeSigning = (_, signed) => {
      if (signed._type === "root") signed.roles.timestamp?.keyids.push(...signed.roles.timestamp.keyids);
      return signed;
    };
    evil.publishRoot();
    lab.server.files = evil.files;
    await withstands(lab, { code: "update_metadata_malformed" });
  });
});

describe("a revoked key", () => {
  for (const role of ["timestamp", "snapshot", "targets"]) {
    it(`signs no ${role} any more once a new root is out`, async (test) => {
      const lab = await startLab(test);
      const { repository, server } = lab;
      const stolen = repository.keys[role] ?? [];
      repository.keys[role] = [createSigningKey()];
      repository.publishRoot();
      repository.publish("targets", "rules");
      await lab.refresh();
      const evil = repository.fork();
      evil.signers[role] = stolen;
      evil.publish("targets", "rules");
      server.files = evil.files;
      await withstands(lab, { code: "update_signature_invalid", moved: keptBefore(role) });
    });
  }

  it("signs no root any more", async (test) => {
    const lab = await startLab(test);
    const { repository, server } = lab;
    const stolen = repository.keys.root ?? [];
    repository.keys.root = [createSigningKey()];
    repository.publishRoot();
    await lab.refresh();
    const evil = repository.fork();
    evil.keys.root = stolen;
    evil.signers.root = stolen;
    evil.publishRoot();
    server.files = evil.files;
    await withstands(lab, { code: "update_signature_invalid" });
  });

  it("has signed rules that are not trusted any more, though they lie on the device and are on offer", async (test) => {
    const lab = await startLab(test);
    const { repository } = lab;
    repository.keys.rules = [createSigningKey()];
    repository.publish("targets");
    const refreshed = await lab.refresh();
    await refused("update_signature_invalid", refreshed.list("stable", "rules"));
    await recovers(lab);
  });

  it("signs no rules any more once the targets delegate to another", async (test) => {
    const lab = await startLab(test);
    const { repository, server } = lab;
    const stolen = repository.keys.rules ?? [];
    repository.keys.rules = [createSigningKey()];
    repository.publish("targets", "rules");
    await (await lab.refresh()).list("stable", "rules");
    const evil = repository.fork();
    evil.signers.rules = stolen;
    evil.publish("rules");
    server.files = evil.files;
    await withstands(lab, {
      code: "update_signature_invalid",
      moved: ["timestamp", "snapshot"],
      search: true,
    });
  });
});

describe("placeholder keys in a root", () => {
  const prime = "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f";
  const placeholders: [string, string, RegExp][] = [
    ["all zero", "00".repeat(32), /all zero/],
    ["the neutral point", `01${"00".repeat(31)}`, /neutral/],
    ["the neutral point, with a sign", `01${"00".repeat(30)}80`, /neutral/],
    [
      "a point of small order",
      "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
      /small order/,
    ],
    ["the point of order two", `ec${"ff".repeat(30)}7f`, /small order/],
    ["a y that is the field's prime", prime, /form/],
    ["a y above the field's prime", "ff".repeat(32), /form/],
    ["31 bytes", "aa".repeat(31), /31 bytes/],
    ["no hex", "not a key", /0 bytes/],
  ];

  for (const [name, hex, expected] of placeholders) {
    it(`refuses a next root with a key of ${name}`, async (test) => {
      const lab = await startLab(test);
      const evil = lab.repository.fork();
      evil.keys.timestamp = [...(evil.keys.timestamp ?? []), placeholderKey(hex)];
      evil.publishRoot();
      lab.server.files = evil.files;
      const error = await withstands(lab, { code: "update_signature_invalid" });
      assert.match(error.message, expected);
    });
  }

  it("does not accept the neutral point as a key that signs everything", async (test) => {
    const lab = await startLab(test);
    const evil = lab.repository.fork();
    // R the neutral point and S zero: fits every message under the neutral key, in a lax verifier.
    const neutral = placeholderKey(`01${"00".repeat(31)}`, `01${"00".repeat(63)}`);
    evil.keys.root = [neutral];
    evil.signers.root = [neutral];
    evil.publishRoot();
    lab.server.files = evil.files;
    await withstands(lab, { code: "update_signature_invalid" });
  });

  it("refuses one that has got among the trusted files, at each load", async (test) => {
    const { openMetadataFiles } = await import("../../../src/tuf/metadata-files.ts");
    const lab = await startLab(test);
    const evil = lab.repository.fork();
    evil.keys.timestamp = [placeholderKey("00".repeat(32))];
    evil.publishRoot();
    const files = await openMetadataFiles(lab.metadata);
    await files.write("root", evil.metadata("2.root"));
    const error = await refused("update_root_unusable", lab.refresh());
    assert.match(error.message, /all zero/);
  });
});

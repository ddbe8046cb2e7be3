import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type Lab, recovers, refused, startLab, withstands } from "../../../lab/devices/updating-device.ts";
import { inDays } from "../../../lab/publisher/signed-forms.ts";
import { attacked, type Change } from "./fixture.ts";

const published = new Date("2026-11-20T12:00:00Z");
const later = (days: number) => new Date(published.getTime() + days * 86_400_000);

/** The publisher renews everything, as on that day. */
function renew({ repository }: Lab, day: Date): void {
  const { root, timestamp, snapshot, targets, delegated } = repository;
  for (const signed of [root, timestamp, snapshot, targets, ...Object.values(delegated)]) {
    signed.expires = inDays(day, 60);
  }
  repository.publishRoot();
  repository.publish("targets", "rules", "binary");
}

describe("indefinite freeze attack", () => {
  it("ends with the timestamp's expiry, and the trusted metadata stay", async (test) => {
    const lab = await startLab(test, { now: published });
    await lab.refresh({ now: later(6) });
    const before = await lab.trusted();
    await refused("update_metadata_expired", lab.refresh({ now: later(8) }));
    assert.deepEqual(await lab.trusted(), before);
    renew(lab, later(8));
    await recovers(lab, later(8));
  });

  it("ends so too where the server answers 304 for ever", async (test) => {
    const lab = await startLab(test, { now: published });
    const { validators } = await lab.refresh();
    assert.ok(validators?.etag, "the server gave an ETag");
    lab.server.repent();
    await lab.refresh({ now: later(6), known: validators });
    assert.equal(lab.server.requests.length, 2);
    await refused("update_metadata_expired", lab.refresh({ now: later(8), known: validators }));
    renew(lab, later(8));
    await recovers(lab, later(8));
  });

  it("ends at the very second of the expiry", async (test) => {
    const lab = await startLab(test, { now: published });
    await lab.refresh({ now: new Date(later(7).getTime() - 1) });
    await refused("update_metadata_expired", lab.refresh({ now: later(7) }));
  });

  for (const role of ["root", "snapshot", "targets", "rules"]) {
    it(`with a stolen timestamp key ends with the expiry of the ${role}`, async (test) => {
      const lab = await startLab(test, { now: published });
      const { repository } = lab;
      const { root, snapshot, targets, delegated } = repository;
      const signed = { root, snapshot, targets, rules: delegated.rules }[role];
      assert.ok(signed, "the lab has the role");
      // All but this one are renewed for ever.
      for (const other of [root, repository.timestamp, snapshot, targets, ...Object.values(delegated)]) {
        other.expires = inDays(published, 1_000);
      }
      signed.expires = inDays(published, 20);
      repository.publishRoot();
      repository.publish("targets", "rules", "binary");
      await (await lab.refresh({ now: later(19) })).list("stable", "rules");
      const search = async () => (await lab.refresh({ now: later(21) })).list("stable", "rules");
      const before = await lab.trusted();
      const error = await refused("update_metadata_expired", search());
      assert.match(error.message, new RegExp(`role ${role} expired`));
      assert.deepEqual(await lab.trusted(), before);
      renew(lab, later(21));
      await recovers(lab, later(21));
    });
  }

  it("with metadata that were expired when they came keeps none of them", (test) => {
    const expired: Change = (evil) => {
      evil.timestamp.expires = inDays(published, -1);
      evil.publish("rules");
    };
    return attacked(test, "update_metadata_expired", expired, { now: published });
  });
});

describe("a device whose clock is in 2040", () => {
  it("finds all expired, changes nothing, and goes on when its clock is right", async (test) => {
    const lab = await startLab(test, { now: published });
    lab.repository.publish("rules");
    const before = await lab.trusted();
    await refused("update_metadata_expired", lab.refresh({ now: new Date("2040-01-01T00:00:00Z") }));
    assert.deepEqual(await lab.trusted(), before);
    await recovers(lab);
  });
});

describe("a device whose clock is in 2020", () => {
  const now = new Date("2020-01-01T00:00:00Z");

  it("is not rolled back: versions need no clock", async (test) => {
    const lab = await startLab(test, { now: published });
    const old = new Map(lab.repository.files);
    lab.repository.publish("targets", "rules");
    await lab.refresh();
    lab.server.files = old;
    await withstands(lab, { code: "update_rollback_refused", now });
  });

  it("takes no file that a stranger has signed", (test) => {
    const change: Change = (evil) => {
      evil.signers.timestamp = evil.keys.rules ?? [];
      evil.publishTimestamp();
    };
    return attacked(test, { code: "update_signature_invalid", now }, change, { now: published });
  });
});

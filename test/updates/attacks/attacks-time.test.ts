import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type Lab, recovers, refused, startLab, withstands } from "../../../lab/devices/updating-device.ts";
import { inDays } from "../../../lab/publisher/signed-forms.ts";
import { attacked, type Change, signedOf } from "./fixture.ts";

const published = new Date("2026-11-20T12:00:00Z");
const later = (days: number) => new Date(published.getTime() + days * 86_400_000);

/** The publisher publishes everything again, good until then, but for what `change` says. */
function renew({ repository }: Lab, expires: string, change = (): void => undefined): void {
  const { root, timestamp, snapshot, targets, delegated } = repository;
  for (const signed of [root, timestamp, snapshot, targets, ...Object.values(delegated)])
    Object.assign(signed, { expires });
  change();
  repository.publishRoot();
  repository.publish("targets", "rules", "binary");
}

describe("indefinite freeze attack", () => {
  it("ends at the very second of the timestamp's expiry, and the trusted metadata stay", async (test) => {
    const lab = await startLab(test, { now: published });
    await lab.refresh({ now: new Date(later(7).getTime() - 1) });
    const before = await lab.trusted();
    await refused("update_metadata_expired", lab.refresh({ now: later(7) }));
    assert.deepEqual(await lab.trusted(), before);
    renew(lab, inDays(later(8), 60));
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
    renew(lab, inDays(later(8), 60));
    await recovers(lab, later(8));
  });

  for (const role of ["root", "snapshot", "targets", "rules"])
    it(`with a stolen timestamp key ends with the expiry of the ${role}`, async (test) => {
      const lab = await startLab(test, { now: published });
      const { root } = lab.repository;
      // All but this one are renewed for ever.
      const expires = inDays(published, 20);
      const signed = role === "root" ? root : signedOf(lab.repository, role);
      renew(lab, inDays(published, 1_000), () => void Object.assign(signed, { expires }));
      await (await lab.refresh({ now: later(19) })).list("stable", "rules");
      const search = async () => (await lab.refresh({ now: later(21) })).list("stable", "rules");
      const before = await lab.trusted();
      const error = await refused("update_metadata_expired", search());
      assert.match(error.message, new RegExp(`role ${role} expired`));
      assert.deepEqual(await lab.trusted(), before);
      renew(lab, inDays(later(21), 60));
      await recovers(lab, later(21));
    });

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

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { context } from "../../lab/simulated/virtual-sign-in.ts";
import { refusedAnswer } from "../../src/accounts/oidc/refusals.ts";
import { recordRefusal } from "../../src/http/request-events.ts";
import type { EventFacts } from "../../src/journal/events/event.ts";

describe("the refusal of a request", () => {
  it("has the words of another server for its line in the log, and not among its details", () => {
    const refused: [facts: EventFacts, code: string][] = [];
    const events = {
      record: async () => undefined,
      refuse: (facts: EventFacts, code: string) => void refused.push([facts, code]),
    };
    const error = refusedAnswer("invalid_scope", "It was asked for groups.", {
      error_description: "not here",
    });
    recordRefusal(events, "signInAtProvider", { actor: { kind: "anonymous" }, context, noted: {} }, error);
    const [[facts, code] = []] = refused;
    assert.equal(code, "provider_refused");
    assert.deepEqual(facts?.details, { operation: "signInAtProvider", reason: "invalid_scope" });
    assert.equal(facts?.said, 'It was asked for groups. {"error_description":"not here"}');
  });
});

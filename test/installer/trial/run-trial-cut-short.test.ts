import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { open, type SimulatedInstaller } from "../../../lab/installer/simulated-installer.ts";

describe("whatever ends in the middle", () => {
  /** Every operation of a flow, each ended before it once: afterwards exactly the old or the new release is current. */
  const crashing = async (
    flow: (side: SimulatedInstaller) => Promise<void>,
    prepare: (side: SimulatedInstaller) => void,
  ): Promise<number> => {
    for (let point = 1; ; point += 1) {
      const side = open();
      await side.apply("1.0.0");
      await side.apply("1.1.0");
      prepare(side);
      let operations = 0;
      side.host.beforeEach = (operation) => {
        operations += 1;
        // Nothing is done after it either.
        if (operations >= point) throw new Error(`crash before ${operation}`);
      };
      const ended = await flow(side).then(
        () => "whole",
        () => "crashed",
      );
      side.host.beforeEach = () => undefined;
      await side.guard();
      const { good, trial } = side.slot();
      assert.equal(trial, null);
      assert.equal(side.at("current"), good.at(-1)?.version, `point ${point}`);
      assert.equal(side.at("previous"), good.at(-2)?.version ?? null, `point ${point}`);
      assert.ok(["1.0.0", "1.1.0", "1.2.0"].includes(side.at("current") ?? ""), `point ${point}`);
      await side.apply("1.3.0");
      assert.equal(side.at("current"), "1.3.0", `point ${point}`);
      if (ended === "whole" && operations < point) return point - 1;
    }
  };

  it("an apply that turns good", async () => {
    const points = await crashing(
      (side) => side.apply("1.2.0"),
      () => undefined,
    );
    assert.ok(points > 15, `only ${points} points`);
  });

  it("an apply that is undone", async () => {
    const points = await crashing(
      (side) => side.apply("1.2.0"),
      (side) => {
        side.host.isHealthy = ({ version }) => version !== "1.2.0";
      },
    );
    assert.ok(points > 20, `only ${points} points`);
  });

  it("a rollback by hand", async () => {
    const points = await crashing(
      async (side) => {
        await side.rollBack();
        await side.guard();
      },
      () => undefined,
    );
    assert.ok(points > 10, `only ${points} points`);
  });
});

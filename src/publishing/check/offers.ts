import type { Release, UpdateKind } from "../../releases/release.ts";
import { select } from "../../releases/selection.ts";
import type { DeviceKind } from "../export/needed-releases.ts";

/** The target paths of the releases that devices of a kind get, which have none yet; null: none. */
export type Offer = Record<"product" | "channel" | "arch", string> & Record<UpdateKind, string | null>;

/** `agentVersion`: no release is for a newer one. */
const newDevice = {
  ...{ agentVersion: "9999.0.0", installed: { rules: null, binary: null } },
  ...{ floors: {}, failed: new Set<string>(), held: new Set<string>() },
};

/** One for each product, channel and processor that a release is for; `any`: a processor that no release names. */
export function offersOf(releases: readonly Release[], { arch: only }: DeviceKind): Offer[] {
  const kinds = new Map(
    releases.map(({ product, channel, arch }) => {
      const kind = { product, channel, arch: only ?? arch };
      return [JSON.stringify(kind), kind] as const;
    }),
  );
  const targets = releases.map(({ target }) => target);
  return [...kinds.values()].map((kind) => {
    const { rules, binary } = select(targets, { ...kind, ...newDevice }).chosen;
    return { ...kind, rules: rules?.target.path ?? null, binary: binary?.target.path ?? null };
  });
}

import { containers } from "./container/tier.ts";
import type { TierName } from "./scenario.ts";
import type { Tier } from "./tier.ts";
import { virtualMachines } from "./vm/tier.ts";

export const tiers: Readonly<Record<TierName, Tier>> = { vm: virtualMachines, container: containers };

import type { ReleaseHold } from "../../contract/types.ts";
import type { Catalogue } from "../catalogue/words.ts";

/** Why a release is held: the reasons that the catalogue has words for. */
export type Reason = keyof Catalogue["updates"]["waits"];

/** By the code of a hold. Others are shown as the agent says them. */
const reasons: Partial<Readonly<Record<ReleaseHold["code"], Reason>>> = {
  held: "held",
  deferred: "deferred",
  not_automatic: "notAutomatic",
  trust_not_established: "trust",
  clock_not_trusted: "clock",
  wave: "wave",
  not_configured: "notSetUp",
  disabled: "disabled",
  postponed: "postponed",
  window: "window",
};

/** null: there is no hold, or the catalogue has no words for it. */
export function reasonOf(hold: ReleaseHold | null): Reason | null {
  return (hold && reasons[hold.code]) ?? null;
}

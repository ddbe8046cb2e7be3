import type { DocumentKind } from "../../store/documents/document-kind.ts";
import { nullableObjectOf, objectOf } from "../../store/validation/object-schema.ts";

/** The facts about the clock that the agent keeps over restarts. */
export interface ClockRecord {
  /** A time that has certainly passed; null: the build date. */
  readonly floor_at: string | null;
  /** Seconds left of the jump that the floor may make once in each boot; null: not begun. */
  readonly power_off_gap: { readonly boot_id: string; readonly left_seconds: number } | null;
  /** Error of the oscillator (ppm), positive: slow; null: never measured. */
  readonly frequency_ppm: number | null;
  readonly synchronised_boot_id: string | null;
}

/** When it is lost, the next start measures the oscillator again and believes any time since the build. */
export const clockRecordKind: DocumentKind<ClockRecord> = {
  name: "clock",
  formatVersion: "1.0.0",
  schema: objectOf({
    floor_at: { type: ["string", "null"], format: "date-time" },
    power_off_gap: nullableObjectOf({
      boot_id: { type: "string" },
      left_seconds: { type: "number", minimum: 0 },
    }),
    frequency_ppm: { type: ["number", "null"], minimum: -500, maximum: 500 },
    synchronised_boot_id: { type: ["string", "null"] },
  }),
  defaults: { floor_at: null, power_off_gap: null, frequency_ppm: null, synchronised_boot_id: null },
  onLoss: "defaults",
};

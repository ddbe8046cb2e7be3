/** A bit for each of the last eight polls of a source, the newest lowest; 0 to 255; 0: unreachable (RFC 5905 §13). */
export type Reach = number;

/** The register after one more poll, answered by a believable packet or not. */
export function shiftReach(reach: Reach, wasAnswered: boolean): Reach {
  return ((reach << 1) | (wasAnswered ? 1 : 0)) & 0xff;
}

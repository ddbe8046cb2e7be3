/** The time by one source at the moment of the selection. */
export interface Candidate {
  readonly id: string;
  /** Positive: this host is behind. */
  readonly offsetSeconds: number;
  /** λ: the true offset is within offset ± this if the source tells the truth; above 0. */
  readonly rootDistanceSeconds: number;
  readonly jitterSeconds: number;
  /** 1 to 15. */
  readonly stratum: number;
}

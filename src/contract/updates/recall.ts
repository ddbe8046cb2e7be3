/** A member of `passed_over`, as far as it matters here. */
interface PassedOver {
  readonly code: string;
  readonly here: string | null;
}

/**
 * True for the withdrawal of the installed release: `here` is its version then. It is listed with the releases that were
 * passed over, and is a need until another one is installed, or the publisher takes it back.
 */
export function isRecall({ code, here }: PassedOver): boolean {
  return code === "withdrawn" && here !== null;
}

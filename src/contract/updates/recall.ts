/**
 * True for the withdrawal of the installed release among those that were passed over: `here` is its version then. It is a
 * need until another one is installed, or the publisher takes it back.
 */
export function isRecall({ code, here }: { readonly code: string; readonly here: string | null }): boolean {
  return code === "withdrawn" && here !== null;
}

/** A line of JSON from the guest to the host. `begin` and `ask` are answered. */
export type Message =
  | { readonly kind: "begin"; readonly boot: number }
  | { readonly kind: "check"; readonly name: string; readonly passed: boolean; readonly detail: string }
  | { readonly kind: "figure"; readonly name: string; readonly value: number; readonly unit: string }
  | { readonly kind: "mark"; readonly name: string }
  | { readonly kind: "note"; readonly text: string }
  | { readonly kind: "ask"; readonly name: string; readonly value?: unknown }
  | { readonly kind: "journal"; readonly text: string }
  | { readonly kind: "end"; readonly error: string | null };

/** The host's answer, one line of JSON; to `begin`, by which factor this boot was slower than on a quiet machine. */
export interface Answer {
  readonly value?: unknown;
  readonly error?: string;
}

/** Reads a message of the guest; undefined for any other line, such as those of a starting machine. */
export function readMessage(line: string): Message | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "object" && value !== null && "kind" in value ? (value as Message) : undefined;
  } catch {
    return undefined;
  }
}

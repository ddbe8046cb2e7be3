/** The result of `read`; null: it throws, as where a file is absent. */
export function tried<T>(read: () => T): T | null {
  try {
    return read();
  } catch {
    return null;
  }
}

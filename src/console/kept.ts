/** The values that a browser keeps for other visits, or for this tab. One that keeps nothing, or no more, has them in the page. */
export const inBrowser = createKept(() => localStorage);
export const inTab = createKept(() => sessionStorage);

function createKept(storage: () => Storage) {
  /** The values that the browser did not take. */
  const untaken = new Map<string, string>();
  const tried = <T>(use: (taken: Storage) => T): T | null => {
    try {
      return use(storage());
    } catch {
      // Forbidden by a setting of the browser (SecurityError, or there is none), or full (QuotaExceededError).
      return null;
    }
  };
  return {
    /** null: there is none. */
    get: (name: string): string | null => untaken.get(name) ?? tried((taken) => taken.getItem(name)),
    set: (name: string, value: string): void => {
      untaken.set(name, value);
      tried((taken) => {
        taken.setItem(name, value);
        untaken.delete(name);
      });
    },
    remove: (name: string): void => {
      untaken.delete(name);
      tried((taken) => taken.removeItem(name));
    },
  };
}

/** What the client asks of whoever keeps the session. */
export interface Authority {
  /** The access token; null: nobody is signed in. */
  token(): string | null;
  /** Settles when there is another token than this one, by itself or because somebody has signed in again. */
  renew(spent: string | null): Promise<void>;
  /** Settles when the person has given the password again. Throws Cancelled. */
  stepUp(): Promise<void>;
  /** The user has to do something else before anything that he asked for: `password_change_required` and the like. */
  restricted(code: string): void;
}

let present: Authority = {
  token: () => null,
  renew: () => Promise.reject(new Error("nobody keeps a session")),
  stepUp: () => Promise.reject(new Error("nobody asks for a password")),
  restricted: () => undefined,
};

export function authority(): Authority {
  return present;
}

export function setAuthority(next: Authority): void {
  present = next;
}

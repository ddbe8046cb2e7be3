export interface Authority {
  /** The access token; null: no user is signed in. */
  token(): string | null;
  /** Settles when there is another token than this one, renewed or from a new sign-in. */
  renew(spent: string | null): Promise<void>;
  /** Settles when the person has given the password again. Throws Cancelled. */
  stepUp(): Promise<void>;
  /** The user has a required action: `password_change_required` and the like. */
  restricted(code: string): void;
  /** The user's role does not permit a call that the page made. */
  forbidden(): void;
}

export let authority: Authority = {
  token: () => null,
  renew: () => Promise.reject(new Error("there is no session")),
  stepUp: () => Promise.reject(new Error("there is no question for a password")),
  restricted: () => undefined,
  forbidden: () => undefined,
};

export function setAuthority(next: Authority): void {
  authority = next;
}

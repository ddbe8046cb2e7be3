import type { Role } from "../contract/types.ts";
import type { Surroundings } from "./surroundings.ts";

/** The OpenID provider that root has chosen for this device, as the host file describes it. */
export interface SignInProvider extends Surroundings {
  /** As people call it: the button for it has this name. */
  readonly name: string;
  /** An https address, as discovery (OpenID Connect Discovery 1.0 §4) and every ID token repeat it. */
  readonly issuer: string;
  readonly clientId: string;
  /** Absolute path; null: a public client, which only PKCE protects. */
  readonly clientSecretFile: string | null;
  /** Origins of this device that the provider may send a browser back to. */
  readonly origins: readonly string[];
  /** null: chosen by the provider's discovery document. */
  readonly scopes: readonly string[] | null;
  /** The claim that names a person's groups, or the path to it with dots, and the groups that give each role. */
  readonly groupClaim: string;
  readonly roles: Readonly<Record<Role, readonly string[]>>;
  /** The claim that a new account's name is made of. */
  readonly nameClaim: string;
  /** Origins besides the issuer's own that its endpoints may have. */
  readonly endpointOrigins: readonly string[];
}

import { systemErrorCode } from "../../contract/errors.ts";
import type { ResolveHost } from "../../host/ports.ts";

/** A host name or literal address, and a port. */
export interface NtpTarget {
  readonly host: string;
  readonly port: number;
  /** Named by a key exchange or the API, not an administrator: never asked at this device, its link or a metadata service. */
  readonly isForeign?: boolean;
}

/** The look-up of names, and the judgement on their addresses. */
export interface ServerResolution {
  readonly resolve: ResolveHost;
  /** True for an address of this device, of its link or of a cloud's metadata service. */
  readonly isLocalAddress: (address: string) => boolean;
}

/** The addresses of a server, best first, at least one; or why there are none. Never rejects. */
export async function resolveServer(
  { resolve, isLocalAddress }: ServerResolution,
  { host, isForeign = false }: NtpTarget,
): Promise<readonly string[] | { readonly failure: string }> {
  const found = await resolve(host).catch(failureOf);
  if ("failure" in found) return found;
  const allowed = isForeign ? found.filter((address) => !isLocalAddress(address)) : found;
  if (allowed.length > 0) return allowed;
  return { failure: found.length > 0 ? "local_address" : "no_address" };
}

/** A resolver that knows no such name is another failure than one that says nothing of it, or too late. */
function failureOf(error: unknown): { readonly failure: string } {
  const isUnanswered = ["EAI_AGAIN", "ETIMEOUT"].includes(systemErrorCode(error) ?? "");
  return { failure: isUnanswered ? "name_not_answered" : "name_not_found" };
}

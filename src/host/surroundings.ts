/** The decisions that an error about a connection can name, as the host file spells them. */
export type SurroundingName =
  | "ca_file"
  | "proxy"
  | "client_certificate_file"
  | "allow_local_servers"
  | "redirect_origins";

export type TrustedFileName = "ca_file" | "client_certificate_file";

/** The surroundings in which connections leave this device, as root has decided. */
export interface Surroundings {
  /** Absolute path of a PEM file; these authorities are trusted beside those of the runtime. */
  readonly caFile?: string | undefined;
  /** `http://host:port`: absolute form for http, CONNECT for all else; the proxy then resolves the names. */
  readonly proxy?: string | undefined;
  /** Absolute path of a PEM file with certificate, chain and key, for servers that ask for the certificate of this device. */
  readonly clientCertificateFile?: string | undefined;
  /** A file that cannot be trusted, and the reason, which continues after the member: connections with TLS are refused. */
  readonly untrusted?: { readonly name: TrustedFileName; readonly detail: string } | undefined;
  /** Loopback, link-local, unspecified and multicast addresses may be servers. */
  readonly allowLocalServers: boolean;
  /** The members that decide for this client, such as `notify.proxy`; absent: those for all clients, `network.proxy`. */
  readonly members?: Readonly<Partial<Record<SurroundingName, string>>> | undefined;
}

/** A member as a sentence names it. The publisher's program has options in place of a host file. */
export function withPlace(member: string): string {
  return member.startsWith("--") ? member : `${member} in the host file`;
}

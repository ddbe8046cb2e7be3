/** The names by which others on the LAN find this host (multicast DNS, RFC 6762), in lower case. */
export interface LanNames {
  /** As the daemons that announce them have them; empty: none says. */
  readonly own: readonly string[];
  /** The usual one for the host name, where another device has it; null: none does. */
  readonly taken: string | null;
}

export interface LanNaming {
  present(): LanNames;
  /** Asks for this host's own names. Never rejects. */
  look(hostname: string): Promise<void>;
  /** Asks who has the usual one where this host has another. A LAN on which nobody has it is silent, for seconds. Never rejects. */
  seek(): Promise<void>;
}

/** The name by which a host is found unless its daemon has given it another. */
export function usualLanName(hostname: string): string {
  return `${labelOf(hostname)}.local`.toLowerCase();
}

export function labelOf(name: string): string {
  return name.replace(/\..*/, "");
}

import { interfaceAddresses } from "../../../host/linux/certificates/interface-addresses.ts";

/**
 * The names and addresses by which others reach the device, as a certificate can have them: in lower case, the host name
 * first. `names`: the device's own. `address`: the only one on which it listens; null: it listens on all.
 */
export function reachedBy(names: readonly string[], address: string | null) {
  // Some systems have host names that no certificate can hold.
  const usable = names.filter((name) => /^[A-Za-z0-9]([\w.-]*[A-Za-z0-9])?$/.test(name));
  return {
    names: [...new Set(usable.map((name) => name.toLowerCase()))],
    addresses: address === null ? interfaceAddresses() : [address],
  };
}

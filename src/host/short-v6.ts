/** As people write it (RFC 5952), by the rules that URLs have for the same. `address`: in groups, or all 32 digits. */
export function shortV6(address: string): string {
  const groups = address.includes(":") ? address : (address.match(/.{4}/g) ?? []).join(":");
  return new URL(`http://[${groups}]`).hostname.slice(1, -1);
}

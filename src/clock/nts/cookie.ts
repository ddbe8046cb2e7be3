/** Cookies of one association: as many requests in a row may be lost before new keys are needed (RFC 8915 §4.1.6, §5.7). */
export const mostCookies = 8;

/**
 * True for the length in bytes of a cookie that can be sent: it fills an extension field (RFC 7822 §2) without padding, which
 * a server would take for a part of it, and leaves the packet below the least MTU of IPv6.
 */
export function isCookie(bytes: number): boolean {
  return bytes >= 12 && bytes <= 1_024 && bytes % 4 === 0;
}

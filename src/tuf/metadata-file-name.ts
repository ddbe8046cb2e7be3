/** Where a role's trusted metadata lie. Names with more than letters, digits, _ and - are quoted, so that no role is a path. */
export function metadataFileName(role: string): string {
  const quoted = role.replace(/[^A-Za-z0-9_-]/gu, (sign) => `%${Buffer.from(sign).toString("hex")}`);
  return `${quoted}.json`;
}

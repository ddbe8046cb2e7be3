/** The page of a path: `/users/ana` is one of `/users/*`. */
export function pageOf(path: string): string {
  return path.startsWith("/users/") ? "/users/*" : path;
}

/** The path of a user's page. */
export function personPath(username: string): string {
  return `/users/${encodeURIComponent(username)}`;
}

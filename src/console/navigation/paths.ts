/** The page of a path: `/users/ana` is one of `/users/*`. */
export function pageOf(path: string): string {
  return path.replace(/^\/(users|product)\/.*/, "/$1/*");
}

export function personPath(username: string): string {
  return `/users/${encodeURIComponent(username)}`;
}

/** A part of an address, which can be typed with anything: the text itself if it is not percent-encoded. */
export function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

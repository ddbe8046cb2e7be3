import { unsafePayload } from "./unsafe-payload.ts";

/** The symbolic links of a tree: their paths below its top, with slashes, and the components of their targets. */
export type TreeLinks = ReadonlyMap<string, readonly string[]>;

/**
 * Throws `update_payload_unsafe` if a link leads out of the tree, or in a circle. Links are followed as the kernel does,
 * through other links too, because `a/up/..` is not `a` if `up` is a link. A missing path counts as a directory.
 */
export function refuseLinksOut(links: TreeLinks, hops: number): void {
  for (const [path, target] of links) {
    const why = misleading(links, { place: path.split("/").slice(0, -1), target, hops });
    if (why !== null) throw unsafePayload(why, { name: path });
  }
}

interface Walk {
  readonly place: readonly string[];
  readonly target: readonly string[];
  readonly hops: number;
}

function misleading(links: TreeLinks, { place, target, hops }: Walk): string | null {
  const at = [...place];
  // The components still to be walked, the next one last.
  const ahead = [...target].reverse();
  let followed = 0;
  for (let next = ahead.pop(); next !== undefined; next = ahead.pop()) {
    if (next === "" || next === ".") continue;
    if (next === "..") {
      if (at.pop() === undefined) return "is a link that leads out of the release";
      continue;
    }
    at.push(next);
    const further = links.get(at.join("/"));
    if (further === undefined) continue;
    followed += 1;
    if (followed > hops) return "is a link that leads in a circle";
    at.pop();
    ahead.push(...[...further].reverse());
  }
  return null;
}

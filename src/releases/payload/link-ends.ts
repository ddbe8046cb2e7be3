import { type UnsafePayload, unsafePayload } from "./unsafe-payload.ts";

/** The symbolic links of a tree: their paths below its top, with slashes, and the components of their targets. */
type TreeLinks = ReadonlyMap<string, readonly string[]>;

const wayOut = "Pack what it leads to in its place (tar -h), or let it lead to a file of the release.";

/**
 * The faults of links that lead out of the tree, or in a circle. Links are followed as the kernel does, through other links
 * too, because `a/up/..` is not `a` if `up` is a link. A missing path counts as a directory.
 */
export function* linkFaults(links: TreeLinks, hops: number): Generator<UnsafePayload> {
  for (const [path, target] of links) {
    const why = misleading(links, path, target, hops);
    if (why !== null) yield unsafePayload(why, { name: path, wayOut });
  }
}

function misleading(links: TreeLinks, path: string, target: readonly string[], hops: number): string | null {
  const at = path.split("/").slice(0, -1);
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

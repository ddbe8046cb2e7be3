/**
 * Has a part give all that it exports as members of one object, at its end: esbuild would make two getters of each, and
 * each use of another part's function would call both. `text`: an ES module as esbuild makes it. Throws for a variable that
 * is assigned again, as those who import it would not see that.
 */
export function exportedAtOnce(text: string): string {
  return text.replace(/^export \{([^{}]*)\};\n/m, (_, list: string) => {
    const members = list.split(",").map((entry) => {
      const [own = "", other = own] = entry.trim().split(" as ");
      if (assignments(text, own) > 1) throw new Error(`${own} is exported, and assigned again`);
      return `${other}:${own}`;
    });
    return `module.exports={${members.join(",")}};\n`;
  });
}

function assignments(text: string, name: string): number {
  const written = name.replaceAll("$", "\\$");
  return (
    text.match(new RegExp(`(?<![.\\w$#])${written} ?(\\?\\?|\\|\\||&&|[-+*/])?=(?![=>])`, "g"))?.length ?? 0
  );
}

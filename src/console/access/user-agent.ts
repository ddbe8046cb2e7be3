/** Parts of a User-Agent and the names that people know; the first part that is found counts. */
const browsers = "Edg=Edge OPR=Opera FxiOS=Firefox Firefox CriOS=Chrome Chrom=Chrome Safari";
const systems = "Windows Android iPhone=iOS iPad=iOS Macintosh=macOS CrOS=ChromeOS Linux";

/** A User-Agent in the few words that people tell their browsers apart by; of a program its first word. */
export function agentInWords(userAgent: string): string {
  const words = [browsers, systems].flatMap((known) => {
    const found = known.split(" ").find((one) => userAgent.includes(one.replace(/=.*/, "")));
    return found?.replace(/.*=/, "") ?? [];
  });
  return words.join(", ") || (userAgent.split(/[\s(]/)[0]?.slice(0, 32) ?? "");
}

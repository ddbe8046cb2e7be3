/** The answer of `timedatectl show-timesync --all`. */
export type TimesyncdReport = NonNullable<ReturnType<typeof parseTimesync>>;

/** Lists of servers; those of links and of the system are used together. */
const serverLists = ["LinkNTPServers", "SystemNTPServers", "RuntimeNTPServers"];

/** null: not in the format of systemd 239 to 252. */
export function parseTimesync(output: string) {
  const properties = new Map<string, string>();
  for (const line of output.split("\n").filter((text) => text !== "")) {
    const at = line.indexOf("=");
    if (at < 1) return null;
    properties.set(line.slice(0, at), line.slice(at + 1));
  }
  const poll = properties.get("PollIntervalUSec");
  const frequency = properties.get("Frequency");
  const text = properties.get("NTPMessage");
  const message = text === undefined || text === "" ? null : parseMessage(text);
  const pollSeconds = poll === undefined ? null : parseTimeSpan(poll);
  if (message === undefined || (poll !== undefined && pollSeconds === null)) return null;
  if (frequency === undefined || !/^-?\d+$/.test(frequency)) return null;
  const name = properties.get("ServerName") ?? "";
  const listed = (list: string) => (properties.get(list) ?? "").split(" ").filter((host) => host !== "");
  const told = serverLists.flatMap(listed);
  return {
    /** null: it has chosen none. */
    server: name === "" ? null : { name, address: properties.get("ServerAddress") || null },
    pollSeconds: pollSeconds === 0 ? null : pollSeconds,
    // As the kernel has it: positive makes the clock run faster. adjtimex(2): in units of 2^-16 ppm.
    frequencyPpm: Number(frequency) / 65_536,
    /** The servers of its configuration, or its fallback servers. */
    configured: told.length > 0 ? told : listed("FallbackNTPServers"),
    /** The last packet of the server; null: there was none. */
    message,
  };
}

/** `{ Leap=0, Version=4, … }`; undefined: another format. */
function parseMessage(text: string) {
  const inner = /^\{ (.+) \}$/.exec(text)?.[1];
  if (inner === undefined) return undefined;
  // systemd before 248 omits the comma after `Ignored=no`.
  const fields = new Map(inner.split(/,? (?=[A-Z][A-Za-z]+=)/).map((part) => splitOnce(part)));
  const number = (name: string) =>
    /^\d{1,3}$/.test(fields.get(name) ?? "") ? Number(fields.get(name)) : null;
  const [leap, stratum] = [number("Leap"), number("Stratum")];
  const span = (name: string) => parseTimeSpan(fields.get(name) ?? "");
  const [rootDelay, rootDispersion, jitter] = [span("RootDelay"), span("RootDispersion"), span("Jitter")];
  const [reference, ignored] = [fields.get("Reference"), fields.get("Ignored")];
  if (leap === null || leap > 3 || stratum === null || reference === undefined) return undefined;
  if (rootDelay === null || rootDispersion === null || jitter === null) return undefined;
  if (ignored !== "yes" && ignored !== "no") return undefined;
  return {
    /** The leap indicator: 0 to 3. */
    leap,
    stratum,
    rootDelaySeconds: rootDelay,
    rootDispersionSeconds: rootDispersion,
    /** Four ASCII characters at stratum 1, else hex digits. */
    reference: stratum === 1 ? reference : reference.toLowerCase(),
    /** timesyncd took it for a spike and did not use it. */
    isIgnored: ignored === "yes",
    jitterSeconds: jitter,
  };
}

function splitOnce(part: string): [string, string] {
  const at = part.indexOf("=");
  return [part.slice(0, at), part.slice(at + 1)];
}

/** Seconds of each unit that systemd prints (systemd.time(7)); a month is 30.44 days, a year 365.25. */
const unitSeconds = new Map([
  ["us", 1e-6],
  ["ms", 1e-3],
  ["s", 1],
  ["min", 60],
  ["h", 3_600],
  ["d", 86_400],
  ["w", 604_800],
  ["month", 2_629_800],
  ["y", 31_557_600],
]);

/** Seconds of a time span as systemd prints it, such as `3min 2.1s`, `30.395ms` or `0`; null: not a time span. */
export function parseTimeSpan(text: string): number | null {
  if (text === "0") return 0;
  let seconds = 0;
  for (const part of text.split(" ")) {
    const [, number, unit = ""] = /^(\d+(?:\.\d+)?)([a-z]+)$/.exec(part) ?? [];
    const each = unitSeconds.get(unit);
    if (number === undefined || each === undefined) return null;
    seconds += Number(number) * each;
  }
  return seconds;
}

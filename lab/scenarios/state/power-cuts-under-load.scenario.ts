import { request } from "node:http";
import type { Guest } from "../../machines/guest/vocabulary.ts";
import type { Boot, TieredScenario } from "../../machines/scenario.ts";

const cuts = 20;

/** Seconds of load before a cut: at least, and by how much longer it may be. */
const [leastSeconds, spreadSeconds] = [2, 6];

/** Acknowledged changes, as the host knows them: it hears of each before the next request of the same writer. */
interface Acknowledged {
  readonly users: readonly string[];
  /** The highest number that was stored as a setting. */
  readonly setting: number;
}

let acknowledged: Acknowledged = { users: [], setting: 0 };

/** Accounts, settings and with them events are written through the API while the plug is pulled, time after time. */
export const scenario: TieredScenario = {
  title: `${cuts} power cuts under write load lose nothing that was acknowledged`,
  tiers: { vm: {} },
  slowMinutes: 12,
  timeoutSeconds: 2_400,
  keepsDisk: true,
  asks: {
    "it is acknowledged": (_host, value) => {
      const { user, setting = 0 } = value as { user?: string; setting?: number };
      const { users } = acknowledged;
      const highest = Math.max(setting, acknowledged.setting);
      acknowledged = { users: user === undefined ? users : [...users, user], setting: highest };
    },
    "what was acknowledged": () => acknowledged,
  },
  boots: [
    ...Array.from({ length: cuts }, (): Boot => ({ powerCut: true, run: underLoad })),
    { run: (guest) => nothingIsLost(guest) },
  ],
};

async function underLoad(guest: Guest): Promise<void> {
  await nothingIsLost(guest);
  // The host gets one report at a time.
  let last: Promise<unknown> = Promise.resolve();
  const reports = (what: object) => {
    last = last.then(() => guest.ask("it is acknowledged", what));
    return last;
  };
  const first = (await highest()) + 1;
  // Not awaited: they are at work when the power goes. Without a password of its own: the hash would take most of the time.
  void writing(guest, reports, (number) => {
    const username = `u${guest.boot}-${number}`;
    return ["POST", "/api/users", { username, role: "readonly" }, { user: username }];
  });
  void writing(guest, reports, (number) => {
    const setting = first + number;
    return ["PUT", "/api/system", { device: { location: `place ${setting}` } }, { setting }];
  });
  await guest.pause(leastSeconds + Math.random() * spreadSeconds);
}

async function nothingIsLost(guest: Guest): Promise<void> {
  const health = await guest.stewardAnswers(120);
  guest.check(`cut ${guest.boot}: the state opens`, health.body.status !== "rescue", health.body);
  const known = (await guest.ask("what was acknowledged")) as Acknowledged;
  const missingIn = (names: ReadonlySet<unknown>) => known.users.filter((name) => !names.has(name));
  const lost = missingIn(await namesIn("/api/users?limit=200", ({ username }) => username));
  guest.check(`${known.users.length} accounts are there`, lost.length === 0, lost);
  const setting = await highest();
  guest.check(`the setting is not older than ${known.setting}`, setting >= known.setting, setting);
  await guest.types("steward events --verify", { what: "the event log is unbroken" });
  const untold = missingIn(
    await namesIn("/api/events?limit=200", ({ type, subject }) =>
      type === "user.created" ? (subject as { name?: string } | null)?.name : undefined,
    ),
  );
  guest.check("and has every account's beginning", untold.length === 0, untold);
}

/** Sends one request after the other, and reports each to the host once it is acknowledged. */
async function writing(
  guest: Guest,
  reports: (what: object) => Promise<unknown>,
  requestOf: (number: number) => [method: string, path: string, body: object, says: object],
): Promise<void> {
  for (let number = 1; ; number += 1) {
    const [method, path, body, says] = requestOf(number);
    const answer = await asRoot(method, path, body);
    if (answer.status >= 300) guest.note(`${method} ${path}: ${answer.status} ${answer.text}`);
    else await reports(says);
  }
}

/** The names in a list, page after page. */
async function namesIn(path: string, nameOf: (item: Record<string, unknown>) => unknown) {
  const names = new Set<unknown>();
  for (let cursor: string | null = ""; cursor !== null; ) {
    const { text } = await asRoot("GET", `${path}${cursor && `&cursor=${encodeURIComponent(cursor)}`}`);
    const page = JSON.parse(text) as { items: Record<string, unknown>[]; next_cursor?: string | null };
    for (const item of page.items) names.add(nameOf(item));
    cursor = page.next_cursor ?? null;
  }
  return names;
}

async function highest(): Promise<number> {
  const { text } = await asRoot("GET", "/api/system");
  const { device, settings } = JSON.parse(text);
  return Number(/\d+/.exec((device ?? settings?.device)?.location ?? "")?.[0] ?? 0);
}

/** As local root, over the socket: there is no sign-in to be throttled. */
function asRoot(method: string, path: string, body?: object): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const headers = body === undefined ? {} : { "content-type": "application/json" };
    const asked = request({ socketPath: "/run/steward/steward.sock", method, path, headers }, (answer) => {
      let text = "";
      answer.setEncoding("utf8").on("data", (part: string) => {
        text += part;
      });
      answer.once("end", () => resolve({ status: answer.statusCode ?? 0, text }));
    });
    asked.once("error", reject);
    asked.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

import assert from "node:assert/strict";
import { it } from "node:test";
import { counted } from "../../lab/basics/counts.ts";
import { ClockHost, type ClockHostPlan, type ClockView } from "../../lab/simulated/clock-host.ts";
import { ordinaryServer, type ServerPlan } from "../../lab/simulated/time-network.ts";
import { StewardError } from "../../src/contract/errors.ts";

type State = ClockView["status"]["state"];
type Trust = ClockView["status"]["trust"];

/** A scenario asks these of its run; one that is left out is not asked. */
interface Bounds {
  /** Seconds after the beginning at which the state is `synchronised` for the first time, at most. */
  readonly synchronisedWithin?: number;
  /** From so many seconds on the wall clock errs by `worstSeconds` at most, and by `rmsSeconds` in the mean. */
  readonly settledAfter?: number;
  readonly worstSeconds?: number;
  readonly rmsSeconds?: number;
  /** The time that sign-in uses errs by so much at most, from `settledAfter` on. */
  readonly signInWorstSeconds?: number;
  /** Steps of the host's clock, in order, each to a tenth of a second. */
  readonly steps?: readonly number[];
  /** Nothing of the host's clock is set, not even its flags. */
  readonly isUntouched?: boolean;
  /** It is neither stepped nor slewed, nor is its frequency set. */
  readonly isUnmoved?: boolean;
  /** The true offset is within the claimed one ± its uncertainty; false: it cannot be known to. */
  readonly isHonest?: boolean;
  /** The state and the trust at the end, or one of them. */
  readonly end?: State | Trust | `${State}, ${Trust}`;
  /** The deeds that ask for something end so, in order: `done` or the code. */
  readonly outcomes?: readonly string[];
  /** Each of these must be so besides, by its name. */
  readonly also?: Readonly<Record<string, (run: Run) => boolean>>;
}

/** Something that happens in the midst of it. */
export interface Deed {
  readonly atSeconds: number;
  /** A promise's end is an outcome. */
  readonly act: (host: ClockHost) => unknown;
}

interface Scenario {
  readonly seconds: number;
  readonly sampleSeconds: number;
  readonly host: ClockHostPlan;
  readonly deeds: readonly Deed[];
  readonly bounds: Bounds;
}

export interface Run {
  readonly host: ClockHost;
  readonly views: readonly ClockView[];
  readonly outcomes: readonly string[];
}

/** A test gives these; the rest is as it mostly is. */
type Overrides = Pick<Scenario, "bounds"> &
  Partial<Omit<Scenario, "host">> & { readonly host?: Partial<ClockHostPlan> };

export const at = (atSeconds: number, act: Deed["act"]): Deed => ({ atSeconds, act });

/** From then on the servers, or the first few of them, are so. */
export const serversAt = (
  atSeconds: number,
  change: Partial<ServerPlan>,
  first = Number.POSITIVE_INFINITY,
): Deed =>
  at(atSeconds, ({ network }) => {
    for (const server of network.servers.slice(0, first)) Object.assign(server, change);
  });

export const networkAt = (atSeconds: number, isUp: boolean): Deed =>
  at(atSeconds, ({ network }) => void Object.assign(network, { isUp }));

/** From then on these settings hold, and the clock knows. */
export const settingsAt = (atSeconds: number, changes: Partial<ClockHost["settings"]>): Deed =>
  at(atSeconds, (host) => {
    host.settings = { ...host.settings, ...changes };
    host.clock.nudge();
  });

export const syncAt = (atSeconds: number, isForced = false): Deed =>
  at(atSeconds, ({ clock }) => clock.sync({ isForced }));

export const viewAt = ({ views }: Run, seconds: number) =>
  views.find(({ atSeconds }) => atSeconds >= seconds);

export const lastStatus = ({ views }: Run) => views.at(-1)?.status;

/** So many ordinary servers, each changed as the entry says. */
export function servers(...changes: Partial<ServerPlan>[]): ServerPlan[] {
  return changes.map((change, index) => ({ ...ordinaryServer, address: `192.0.2.${index + 1}`, ...change }));
}

export function fourServers(change: Partial<ServerPlan> = {}): ServerPlan[] {
  return servers(change, change, change, change);
}

const trueStartSeconds = Date.UTC(2026, 10, 20, 12) / 1_000;

export const setting = (changes: Partial<ClockHost["settings"]>) => ({
  ...ordinaryHost.settings,
  ...changes,
});

/** A network and an oscillator as most hosts have them, and a boot with the clock half a second behind. */
export const ordinaryHost: ClockHostPlan = {
  trueStartSeconds,
  buildSeconds: Date.UTC(2026, 9, 1) / 1_000,
  behindSeconds: 0.5,
  oscillator: { slowPpm: 20, wander: 1e-9 },
  blocker: null,
  daemon: null,
  settings: {
    mode: "auto",
    servers: [],
    authenticated_only: false,
    min_agreeing: null,
    max_root_distance: "1500ms",
    panic_threshold: "1000s",
  },
  panicSeconds: 1_000,
  servers: fourServers(),
  record: {},
  leap: null,
  seed: 1,
};

export function scenarioOf(overrides: Overrides): Scenario {
  const host = { ...ordinaryHost, ...overrides.host };
  const asked = host.servers.map(({ address, nts }) => (nts ? { host: address, nts: true } : address));
  const settings = host.settings.servers.length > 0 ? host.settings : { ...host.settings, servers: asked };
  return { seconds: 4_000, sampleSeconds: 16, deeds: [], ...overrides, host: { ...host, settings } };
}

/** Until then the clock is looked at once in `sampleSeconds`, later once in so many of them. */
const denseSeconds = 600;
const laterSamples = counted({ usual: 8, all: 1 });

export async function run({ host: plan, seconds, sampleSeconds, deeds, bounds }: Scenario): Promise<Run> {
  const host = new ClockHost(plan);
  const views: ClockView[] = [];
  const outcomes: string[] = [];
  const waiting: Promise<void>[] = [];
  for (const { atSeconds, act } of deeds) {
    host.time.at(atSeconds, () => {
      const asked = act(host);
      if (!(asked instanceof Promise)) return;
      const place = outcomes.push("not over") - 1;
      const note = (what: string) => {
        outcomes[place] = what;
      };
      waiting.push(
        asked.then(
          () => note("done"),
          (error) => note(error instanceof StewardError ? error.code : String(error)),
        ),
      );
    });
  }
  const look = (): void => {
    if (!host.isAsleep()) views.push(host.view());
    const now = host.time.now();
    // A check of `also` looks at moments of its own choice, so none may be left out.
    const isDense = now < denseSeconds || bounds.also !== undefined;
    host.time.at(now + sampleSeconds * (isDense ? 1 : laterSamples), look);
  };
  host.time.at(sampleSeconds, look);
  await host.time.runUntil(seconds);
  // Not waited for: a round that runs would wait for a time that does not go on.
  void host.clock.stop();
  return { host, views, outcomes };
}

/** A test of a scenario: how the host is other than most, what happens, and the bounds; no two of these share a name. */
export function play(
  name: string,
  given: Partial<ClockHostPlan> & Bounds & Partial<Pick<Scenario, "seconds" | "sampleSeconds" | "deeds">>,
): void {
  it(name, async () => {
    const result = await run(scenarioOf({ ...given, host: given, bounds: given }));
    assert.deepEqual(shortcomingsOf(result, given), []);
  });
}

function figuresOf({ views }: Run, settledAfter: number) {
  const settled = views.filter(({ atSeconds }) => atSeconds >= settledAfter);
  const worst = (errors: number[]) => errors.reduce((a, b) => Math.max(a, Math.abs(b)), 0);
  const errors = settled.map(({ wallErrorSeconds }) => wallErrorSeconds);
  return {
    synchronisedAt: views.find(({ status }) => status.state === "synchronised")?.atSeconds ?? null,
    worstSeconds: worst(errors),
    rmsSeconds: Math.sqrt(errors.reduce((sum, error) => sum + error ** 2, 0) / errors.length),
    signInWorstSeconds: worst(settled.map(({ signInErrorSeconds }) => signInErrorSeconds)),
  };
}

/** Lists the bounds that the run does not hold, a line each. */
function shortcomingsOf(result: Run, bounds: Bounds): string[] {
  const { host, views, outcomes } = result;
  const figures = figuresOf(result, bounds.settledAfter ?? 0);
  const last = views.at(-1)?.status;
  const { steps } = host.kernel;
  const is = <T>(what: string, wanted: T | undefined, found: T): string[] =>
    wanted === undefined || JSON.stringify(wanted) === JSON.stringify(found)
      ? []
      : [`${what}: ${JSON.stringify(found)}, not ${JSON.stringify(wanted)}`];
  const atMost = (what: string, bound: number | undefined, found: number | null): string[] =>
    bound === undefined || (found !== null && found <= bound) ? [] : [`${what}: ${found}, above ${bound}`];
  return [
    ...atMost("synchronised at (s)", bounds.synchronisedWithin, figures.synchronisedAt),
    ...atMost("worst error (s)", bounds.worstSeconds, figures.worstSeconds),
    ...atMost("RMS error (s)", bounds.rmsSeconds, figures.rmsSeconds),
    ...atMost("worst error of sign-in (s)", bounds.signInWorstSeconds, figures.signInWorstSeconds),
    ...is("steps (s)", bounds.steps?.map(toTenth), steps.map(toTenth)),
    ...is("calls that set the clock", bounds.isUntouched ? 0 : undefined, host.kernel.calls),
    ...is("calls that move the clock", bounds.isUnmoved ? 0 : undefined, host.kernel.moves),
    ...(bounds.end?.split(", ") ?? []).flatMap((word) =>
      word === last?.state || word === last?.trust ? [] : [`at the end: ${last?.state}, ${last?.trust}`],
    ),
    ...is("outcomes", bounds.outcomes, outcomes),
    ...Object.entries(bounds.also ?? {}).flatMap(([name, holds]) => (holds(result) ? [] : [name])),
    ...(bounds.isHonest === false ? [] : dishonestOf(views)),
  ];
}

function toTenth(seconds: number): number {
  return Math.round(seconds * 10) / 10 + 0;
}

/** Moments at which the clock is further off than was claimed: to the API, and to the kernel's other readers. */
function dishonestOf(views: readonly ClockView[]): string[] {
  const lies = views.flatMap(({ atSeconds, wallErrorSeconds, kernelMaxErrorSeconds, status }): string[] => {
    const { offset_seconds, uncertainty_seconds, trust } = status;
    const found: string[] = [];
    if (trust !== "none" && uncertainty_seconds !== null && offset_seconds !== null) {
      const off = Math.abs(wallErrorSeconds + offset_seconds);
      if (off > uncertainty_seconds)
        found.push(`at ${atSeconds} s: ${off} s off, claimed ± ${uncertainty_seconds}`);
    }
    if (kernelMaxErrorSeconds !== null && Math.abs(wallErrorSeconds) > kernelMaxErrorSeconds) {
      found.push(
        `at ${atSeconds} s: ${wallErrorSeconds} s off, the kernel was told ${kernelMaxErrorSeconds}`,
      );
    }
    return found;
  });
  return lies.length > 3 ? [...lies.slice(0, 3), `and ${lies.length - 3} more`] : lies;
}

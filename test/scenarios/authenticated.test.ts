import { describe } from "node:test";
import type { NtsPlan, ServerPlan } from "../../lab/simulated/time-network.ts";
import { lastStatus, ordinaryHost, play, type Run, servers, serversAt, setting } from "./scenario.ts";

const day = 86_400;
const { trueStartSeconds, buildSeconds } = ordinaryHost;

/** The certificate of an honest server is valid for 90 days, as those of public authorities are. */
const valid: NtsPlan = {
  validFromSeconds: trueStartSeconds - 30 * day,
  validToSeconds: trueStartSeconds + 60 * day,
  failure: null,
};

/** A certificate that ended, and whose key was stolen; it began before this program was built. */
const expired: NtsPlan = {
  validFromSeconds: buildSeconds - 60 * day,
  validToSeconds: buildSeconds + 30 * day,
  failure: null,
};

const honest: Partial<ServerPlan> = { nts: valid };
/** The attacker answers for a server, without a certificate that a known authority has signed. */
const impostor: Partial<ServerPlan> = {
  nts: { ...valid, failure: "nts_unknown_authority" },
  offsetSeconds: 40 * day,
};
const liar: Partial<ServerPlan> = { offsetSeconds: 40 * day };

/** The clock shows 1970, or 2038. */
const behindIn1970 = trueStartSeconds;
const behindIn2038 = -(Date.UTC(2038, 0, 19) / 1_000 - trueStartSeconds);

const right = { settledAfter: 600, worstSeconds: 0.01, end: "trusted" } as const;
const authenticatedOnly = setting({ authenticated_only: true });

const isAuthenticated = (run: Run) => lastStatus(run)?.authenticated === true;
const isNotAuthenticated = (run: Run) => !isAuthenticated(run);
/** Each server whose time counts has shown a certificate that is valid at that time. */
const confirmed =
  (count: number) =>
  ({ host }: Run) =>
    host.network.keyExchanges.filter(({ atSeconds }) => atSeconds !== null).length === count;
const haveReason = (count: number, code: string) => (run: Run) =>
  lastStatus(run)?.sources.filter(({ reason }) => reason?.code === code).length === count;
const summaryIs = (code: string) => (run: Run) => lastStatus(run)?.summary.code === code;
const tooFew = summaryIs("too_few_authenticated");

describe("a boot with a wrong clock, on a network that an attacker holds", () => {
  for (const [year, behindSeconds] of [
    ["1970", behindIn1970],
    ["2038", behindIn2038],
  ] as const) {
    play(`in ${year}: three honest servers of five give the right time, trusted and authenticated`, {
      behindSeconds,
      servers: servers(honest, impostor, honest, impostor, honest),
      ...right,
      synchronisedWithin: 40,
      also: { isAuthenticated, "three are confirmed": confirmed(3) },
    });
    play(`in ${year}: two honest servers of five give no time where only authenticated ones count`, {
      behindSeconds,
      servers: servers(honest, impostor, honest, impostor, impostor),
      settings: authenticatedOnly,
      end: "none",
      also: {
        isNotAuthenticated,
        "only the floor moved the clock": ({ host }) => host.kernel.steps.length <= 1,
        tooFew,
        "the impostors are named": haveReason(3, "nts_unknown_authority"),
      },
    });
  }
});

describe("stolen keys whose certificates have expired", () => {
  const thief = (offsetSeconds: number): Partial<ServerPlan> => ({ nts: expired, offsetSeconds });
  const backTo = (seconds: number) => seconds - trueStartSeconds;
  const withinTheirDays = backTo(buildSeconds + 10 * day);

  const isAboveFloor = ({ views }: Run) =>
    views.every(({ wallErrorSeconds }) => wallErrorSeconds < 365.25 * day);
  play("of a minority change nothing", {
    behindSeconds: behindIn1970,
    servers: servers(honest, honest, honest, thief(withinTheirDays)),
    ...right,
    also: { isAuthenticated },
  });
  play("of a majority say no present time: their certificates are not valid then", {
    behindSeconds: behindIn1970,
    servers: servers(thief(0), thief(0), thief(0), honest),
    settings: authenticatedOnly,
    end: "none",
    also: { "they are named": haveReason(3, "nts_certificate_expired") },
  });
  play("of a majority set no clock below the floor", {
    behindSeconds: behindIn1970,
    servers: servers(...[1, 2, 3].map(() => thief(backTo(buildSeconds - 10 * day))), honest),
    end: "none",
    also: { "the summary says so": summaryIs("below_floor") },
  });
  play("of a majority set it back within their certificates' days, which is the limit that is documented", {
    behindSeconds: behindIn1970,
    servers: servers(...[1, 2, 3].map(() => thief(withinTheirDays)), honest),
    settledAfter: 100,
    isHonest: false,
    also: { "it is above the floor": isAboveFloor },
    seconds: 200,
  });
});

describe("time.authenticated_only", () => {
  play("lets plain servers neither move the clock nor count, however many agree", {
    behindSeconds: 5,
    servers: servers(honest, honest, liar, liar, liar),
    settings: authenticatedOnly,
    ...right,
    also: { isAuthenticated, "the plain ones are not asked": haveReason(3, "not_authenticated") },
  });
  play("holds the clock where too few authenticated servers agree", {
    ...{ behindSeconds: 5, servers: servers(honest, impostor, impostor, {}, {}, {}) },
    settings: authenticatedOnly,
    isUnmoved: true,
    end: "none",
    also: { tooFew },
  });
  play("trusts no time daemon whose sources are not authenticated", {
    daemon: "chronyd",
    settings: authenticatedOnly,
    isUntouched: true,
    end: "delegated, none",
    also: {
      tooFew,
      "and names the daemon": ({ views }) => views.at(-1)?.status.summary.daemon === "chronyd",
    },
  });
  play("left off, authenticated and plain servers vote alike, and the majority is not authenticated", {
    servers: servers(honest, {}, {}),
    ...right,
    also: { isNotAuthenticated },
  });
});

describe("an association in service", () => {
  play("gives its keys up when the server refuses its cookies, and has new ones confirmed", {
    servers: servers(honest, honest, honest),
    ...right,
    end: "synchronised, trusted",
    also: { isAuthenticated },
    seconds: 3_000,
    deeds: [serversAt(1_000, { manner: { bad: "nts_nak" } }), serversAt(1_300, { manner: null })],
  });
  play("asks nothing of other clients of NTP: no second opinion contradicts an authenticated answer", {
    servers: servers({ ...honest, secondOpinionOffsetSeconds: 600 }),
    end: "accepted",
    also: { isAuthenticated, "none is asked": ({ views }) => views.at(-1)?.status.counters.opinions === 0 },
  });
});

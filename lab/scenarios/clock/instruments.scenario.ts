import type { Guest } from "../../machines/guest/vocabulary.ts";
import type { TieredScenario } from "../../machines/scenario.ts";
import { chronyConfiguration, timesyncdConfiguration } from "./time-daemons.ts";

/** The instruments of the clock's scenarios, tried on the machine's clock without the agent. */
export const scenario: TieredScenario = {
  title: "the machine's clock can be moved, held and measured",
  tiers: { vm: {} },
  timeoutSeconds: 300,
  servers: [{ port: 123 }, { port: 11_123 }, { port: 11_124, fakeTime: "+3s" }],
  files: { ...chronyConfiguration(11_123), ...timesyncdConfiguration },
  asks: {
    "stop the true server": ({ servers }) => servers.stop(11_123),
    "start the true server": ({ servers }) => servers.start({ port: 11_123, stratum: 5 }),
    "the time": () => Date.now() / 1_000,
  },
  boots: [
    {
      rtc: "2020-01-01T00:00:00",
      units: [],
      run: async (guest) => {
        guest.check("the boot clock is what was asked for", new Date().getUTCFullYear() === 2020, new Date());
        await byHand(guest);
        await servers(guest);
        await chronyd(guest);
        await timesyncd(guest);
      },
    },
    {
      rtc: 3_600,
      network: false,
      units: [],
      run: async (guest) => {
        const ahead = Date.now() / 1_000 - Number(await guest.ask("the time"));
        guest.check("another boot is an hour ahead", Math.abs(ahead - 3_600) < 5, ahead);
        const cards = (await guest.run("ls", ["/sys/class/net"])).stdout.trim();
        guest.check("and has no network", cards === "lo", cards);
      },
    },
  ],
};

async function byHand(guest: Guest): Promise<void> {
  const { clock } = guest;
  const first = await clock.error(11_123, 3);
  await clock.step(first.medianSeconds);
  const true_ = await clock.error(11_123);
  guest.figure("error after a step by what was measured", Math.round(true_.medianSeconds * 1e6), "µs");
  guest.figure("spread of ten chronyd -Q", Math.round(true_.spreadSeconds * 1e6), "µs");
  guest.check(
    "a step by what was measured leaves less than 20 ms",
    Math.abs(true_.medianSeconds) < 0.02,
    true_.all,
  );
  await clock.step(-0.08);
  const behind = await clock.error(11_123);
  guest.check(
    "80 ms behind is measured as +80 ms",
    Math.abs(behind.medianSeconds - true_.medianSeconds - 0.08) < 0.02,
    [behind.all, true_.all],
  );
  const sampling = clock.sample(6);
  await guest.pause(2);
  await clock.step(0.5);
  await guest.pause(1);
  await clock.step(-0.25);
  const { backwards, largestStepSeconds, count } = await sampling;
  guest.check("samples see a step", Math.abs(largestStepSeconds - 0.5) < 0.01, largestStepSeconds);
  guest.check("and that the clock went back once", backwards === 1, { backwards, count });
  await clock.setFrequency(400);
  const { correctedSeconds, seconds } = await clock.sample(10);
  await clock.setFrequency(0);
  const ppm = (correctedSeconds / seconds) * 1e6;
  guest.check("samples see a frequency", Math.abs(ppm - 400) < 20, ppm);
  const before = (await clock.error(11_123)).medianSeconds;
  await guest.pause(20);
  guest.figure(
    "drift of the machine left alone",
    Math.round(((await clock.error(11_123)).medianSeconds - before) / 20e-6),
    "ppm",
  );
}

async function servers(guest: Guest): Promise<void> {
  const { clock } = guest;
  const [good, bad] = [await clock.error(11_123, 1), await clock.error(11_124, 1)];
  const apart = bad.medianSeconds - good.medianSeconds;
  guest.check("a false server is 3 s off", Math.abs(apart - 3) < 0.1, apart);
  await guest.ask("stop the true server");
  const silent = await clock.error(11_123, 1).catch(() => undefined);
  guest.check("a stopped server is silent", silent === undefined, silent);
  await guest.ask("start the true server");
  const again = await guest.until("the server is back", 30, () => clock.error(11_123, 1));
  guest.check("a started one answers", Math.abs(again.medianSeconds - good.medianSeconds) < 0.1, again);
  const outside = await guest.run("curl", ["--silent", "--max-time", "5", "http://192.0.2.1/"], {
    timeoutSeconds: 10,
  });
  guest.check("there is no way out of the host", outside.status !== 0, outside);
}

async function synchronised(guest: Guest, unit: string): Promise<void> {
  await guest.run("systemctl", ["start", unit]);
  await guest.until(
    `${unit} has synchronised the clock`,
    90,
    async () => (await guest.clock.kernel()).synchronised,
  );
  const { medianSeconds } = await guest.clock.error(123);
  guest.figure(`error under ${unit}`, Math.round(medianSeconds * 1e6), "µs");
  guest.check(`${unit} holds the clock`, Math.abs(medianSeconds) < 0.05, medianSeconds);
  await guest.run("systemctl", ["stop", unit]);
}

async function chronyd(guest: Guest): Promise<void> {
  await guest.clock.step(100);
  await synchronised(guest, "chrony.service");
}

async function timesyncd(guest: Guest): Promise<void> {
  await guest.clock.step(-100);
  await synchronised(guest, "systemd-timesyncd.service");
}

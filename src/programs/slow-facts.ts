import { cpu, cpuTemperature, fsSize, system } from "systeminformation";
import type { SlowFacts } from "../system/facts.ts";
import { mountedOnce } from "../system/mounted-once.ts";
import { end, fail } from "../terminal/ending.ts";

/**
 * Prints the host's facts from systeminformation as JSON. It is a process of its own: the library takes 36 ms to load and
 * blocks in most of its calls, and a thread would leave its memory to the agent (Node 24: 10 MiB).
 */
async function main(): Promise<number> {
  console.log(JSON.stringify(await read()));
  return 0;
}

async function read(): Promise<SlowFacts> {
  const host = await system();
  const processor = await cpu();
  const disks = mountedOnce(await fsSize());
  const heat = await cpuTemperature();
  const sensors = [
    { sensor: "cpu", celsius: heat.main },
    ...heat.cores.map((celsius, core) => ({ sensor: `core ${core}`, celsius })),
  ];
  return {
    manufacturer: host.manufacturer || null,
    model: host.model || null,
    cpu: [processor.manufacturer, processor.brand].filter(Boolean).join(" ") || null,
    disks: disks.map(({ mount, type, size, available }) => ({
      mount,
      type,
      size_bytes: size,
      available_bytes: available,
    })),
    temperatures: sensors.filter(({ celsius }) => typeof celsius === "number"),
  };
}

main().then(end, fail);

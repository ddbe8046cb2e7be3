import { parentPort } from "node:worker_threads";
import { cpu, cpuTemperature, fsSize, system } from "systeminformation";

/** The host's facts from systeminformation, in the contract's shapes. */
export interface SlowFacts {
  manufacturer: string | null;
  model: string | null;
  cpu: string | null;
  disks: { mount: string; type: string; size_bytes: number; available_bytes: number }[];
  temperatures: { sensor: string; celsius: number | null }[];
}

async function read(): Promise<SlowFacts> {
  const host = await system();
  const processor = await cpu();
  const disks = await fsSize();
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

void read().then((facts) => parentPort?.postMessage(facts));

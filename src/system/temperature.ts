import { readdir, readFile } from "node:fs/promises";

/** Sensors of the processor by their kernel names: thermal zones, and monitoring chips. */
const ofProcessor = /^(?:x86_pkg_temp|coretemp|k10temp|zenpower)$|cpu|soc/i;

/** A sensor: a file with its name, and one with thousandths of a degree Celsius. */
const kinds = [
  { folder: "thermal", prefix: "thermal_zone", name: "type", value: "temp" },
  { folder: "hwmon", prefix: "hwmon", name: "name", value: "temp1_input" },
] as const;

/** Reads the processor's temperature in degrees Celsius; null: it has no such sensor. */
export function createTemperature(directory = "/sys/class"): () => Promise<number | null> {
  let file: Promise<string | null> | undefined;
  return async () => {
    file ??= findSensor(directory);
    const path = await file;
    const text = path === null ? "" : await textOf(path);
    return text === "" ? null : Number(text) / 1_000;
  };
}

async function findSensor(directory: string): Promise<string | null> {
  for (const { folder, prefix, name, value } of kinds) {
    const entries = await readdir(`${directory}/${folder}`).catch(() => []);
    for (const entry of entries.filter((one) => one.startsWith(prefix)).sort()) {
      const place = `${directory}/${folder}/${entry}`;
      const isIt = ofProcessor.test(await textOf(`${place}/${name}`));
      if (isIt && /^-?\d+$/.test(await textOf(`${place}/${value}`))) return `${place}/${value}`;
    }
  }
  return null;
}

/** Empty: it cannot be read, as with a sensor that is asleep. */
async function textOf(path: string): Promise<string> {
  return (await readFile(path, "utf8").catch(() => "")).trim();
}

import type { Invocation } from "../client/command.ts";
import { openBundle } from "./bundle.ts";
import type { DoctorContext } from "./doctor-context.ts";
import { examine } from "./examine.ts";
import { nextLine } from "./finding.ts";
import { type Report, reportText } from "./report.ts";

/** Examines this device and prints the report, or puts it into a bundle. */
export async function runDoctor({
  places,
  context,
  options,
  output,
}: Invocation): Promise<{ needsSomething: boolean }> {
  const { program, openState, openHost } = context;
  const host = await openHost();
  const device: DoctorContext = { places, program, openState, host, root: "", now: () => new Date() };
  const file = options.text("bundle");
  // Opened first, as long as this process is root: it may be in a directory of root's.
  const bundle = file === undefined ? undefined : await openBundle(device, file, context.stdout);
  const isRoot = program.userId() === 0;
  const findings = await examine(device, bundle?.gather);
  const next = nextLine(findings, isRoot);
  const report: Report = {
    ...{ version: program.version, device_time: device.now().toISOString(), is_root: isRoot },
    ...{ findings, next },
  };
  if (bundle === undefined) await output.report(report, reportText(report));
  else await output.remark(await bundle.write(report));
  return { needsSomething: next !== null };
}

import { type Device, openDevice } from "../../lab/devices/checking-device.ts";

/** A device whose server has rules of this version, which no check has seen yet. */
export async function withRelease(
  ota: Parameters<typeof openDevice>[0] = {},
  release: Parameters<Device["lab"]["addRelease"]>[0] = { version: "1.0.0" },
): Promise<Device> {
  const device = await openDevice(ota);
  device.lab.addRelease(release);
  device.lab.publish(release.kind ?? "rules");
  return device;
}

/** Keeps a history for three hours and ends, for the test that cuts its power. Argument: the directory. */
import { RecordedDevice } from "./recorded-history.ts";

const device = new RecordedDevice(process.argv[2] ?? "");
await device.run(3 * 60 + 10);
await device.close();

import { t } from "../../catalogue/words.ts";
import { deviceNow, deviceZone } from "../../client/device-time.ts";
import { useStore } from "../../store.ts";

/** Says above a list of times whose zone they are in, where the device's is another one. */
export function ZoneNote() {
  const zone = useStore(deviceZone);
  const offset = (timeZone?: string) =>
    new Date(deviceNow()).toLocaleString("en", { timeZone, timeZoneName: "shortOffset" }).split("GMT")[1];
  const [here, there] = [offset(), offset(zone)];
  return here === there ? null : <p class="hint">{t.lists.zones(here, there, zone)}</p>;
}

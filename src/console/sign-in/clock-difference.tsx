import { useEffect, useState } from "preact/hooks";
import { absoluteTime } from "../catalogue/formats.ts";
import { t } from "../catalogue/words.ts";
import { greet } from "../client/connection.ts";
import { deviceAheadSeconds, deviceNow } from "../ui/device-time.ts";
import { Banner } from "../ui/page.tsx";

/** Seconds by which the two clocks may differ before it is worth saying. */
const tolerableSeconds = 30;

/** Milliseconds between two looks at the device's clock: either may be put right while the page is open. */
const lookMilliseconds = 60_000;

/** Says so where the device's clock and the browser's differ: whose codes are refused then knows why. */
export function ClockDifference() {
  const [, draw] = useState({});
  useEffect(() => {
    const look = () => {
      if (document.visibilityState === "visible") void greet();
    };
    const ticking = setInterval(() => draw({}), 1_000);
    const looking = setInterval(look, lookMilliseconds);
    addEventListener("focus", look);
    return () => {
      clearInterval(ticking);
      clearInterval(looking);
      removeEventListener("focus", look);
    };
  }, []);
  if (Math.abs(deviceAheadSeconds()) <= tolerableSeconds) return null;
  return (
    <Banner state="attention">
      {/* It ticks, and is not to be read aloud each second. */}
      <p aria-live="off">
        {t.signIn.clockDiffers(absoluteTime(new Date(deviceNow())), absoluteTime(new Date()))}
      </p>
      <p>{t.signIn.clockDiffersMeaning}</p>
    </Banner>
  );
}

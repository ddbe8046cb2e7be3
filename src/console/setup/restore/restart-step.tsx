import { useEffect } from "preact/hooks";
import { t } from "../../catalogue/words.ts";
import { greet, greeting } from "../../client/connection.ts";

/** Milliseconds between two looks whether the restored device answers. */
const lookMilliseconds = 1_000;

/** Waits for the restored device, and goes on with its sign-in. */
export function RestartStep() {
  useEffect(() => {
    let isWanted = true;
    const look = async (): Promise<void> => {
      while (isWanted && !((await greet()) && greeting.read()?.setup_required === false))
        await new Promise((resolve) => setTimeout(resolve, lookMilliseconds));
      // Nothing that this page knows of the device is true any more.
      if (isWanted) location.assign("/");
    };
    void look();
    return () => {
      isWanted = false;
    };
  }, []);
  return (
    <>
      <p role="status">{t.restore.restarting}</p>
      <p>{t.restore.notBack}</p>
    </>
  );
}

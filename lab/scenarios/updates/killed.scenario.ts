import { cutting } from "./update-power-cut.scenario.ts";

/** The container is killed in the midst of an update. Here the short phases may be over when it goes. */
export const scenario = {
  ...cutting([
    { place: "installing", version: "1.1.0", isGood: true, ends: "either" },
    { place: "activating", version: "1.2.0", isGood: true, ends: "new" },
    { place: "confirming", version: "1.3.0", isGood: true, ends: "new" },
    { place: "reactivating", version: "1.4.0", isGood: false, ends: "old" },
  ]),
  title: "a machine killed in mid-trial comes up with the old or the new release, whole and healthy",
};

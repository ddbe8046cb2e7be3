import { adopt } from "../styles/adopt.ts";
import style from "../styles/clock.css?inline";
import { OverviewPage } from "../system/overview-page.tsx";

adopt(style);

/** How the device is, by path. */
export const pages = { "/system": OverviewPage };

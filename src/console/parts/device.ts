import { adopt } from "../styles/parts/adopt.ts";
import style from "../styles/parts/clock.css?inline";
import { OverviewPage } from "../system/overview-page.tsx";

adopt(style);

/** The page about the device's state, by path. */
export const pages = { "/system": OverviewPage };

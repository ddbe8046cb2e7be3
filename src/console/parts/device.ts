import "../styles/parts/clock.css";
import { OverviewPage } from "../system/overview-page.tsx";

/** The page about the device's state, by path. */
export const pages = { "/system": OverviewPage };

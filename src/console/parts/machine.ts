import { adopt } from "../styles/parts/adopt.ts";
import style from "../styles/parts/machine.css?inline";
import { DevicePage } from "../system/device/device-page.tsx";

adopt(style);

/** The page about the device itself, by path. */
export const pages = { "/system/device": DevicePage };

import "../styles/parts/machine.css";
import { DevicePage } from "../system/device/device-page.tsx";

/** The page about the device itself, by path. */
export const pages = { "/system/device": DevicePage };

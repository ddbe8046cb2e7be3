import "../styles/parts/settings.css";
import { OtaSettings } from "../updates/ota-settings.tsx";

/** The settings of the updates; loaded when they are opened. */
export const Body = OtaSettings;

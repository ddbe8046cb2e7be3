import { DevicePaper, DeviceSheet } from "../print/device-sheet.tsx";

/** The device on a sheet of paper, with what draws its code. */
export const Body = DeviceSheet;

/** The same within a page. */
export const Paper = DevicePaper;

import { Palette } from "../palette/palette.tsx";
import { adopt } from "../styles/adopt.ts";
import style from "../styles/palette.css?inline";

adopt(style);

/** Goes anywhere by name; loaded when it is first asked for. */
export const Body = Palette;

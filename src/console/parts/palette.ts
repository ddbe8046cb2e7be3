import { Palette } from "../palette/palette.tsx";
import { adopt } from "../styles/parts/adopt.ts";
import style from "../styles/parts/palette.css?inline";

adopt(style);

/** Goes anywhere by name; loaded when it is first asked for. */
export const Body = Palette;

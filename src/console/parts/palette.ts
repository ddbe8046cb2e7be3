import { Palette } from "../palette/palette.tsx";
import "../styles/parts/palette.css";

/** Goes anywhere by name; loaded when it is first asked for. */
export const Body = Palette;

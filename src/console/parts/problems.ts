import { Explanation } from "../problems/explanation.tsx";
import { KeptOut } from "../problems/kept-out.tsx";

/** Explains errors; loaded with the first one. */
export const Body = Explanation;

/** For a person who cannot sign in. */
export const Help = KeptOut;

import { Explanation } from "../problems/explanation.tsx";

/** Explains errors; loaded with the first one. */
export const Body = Explanation;

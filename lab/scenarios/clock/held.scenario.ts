export { held as scenario } from "./clock-held.ts";

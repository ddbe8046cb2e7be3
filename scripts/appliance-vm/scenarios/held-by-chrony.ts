import { heldBy } from "../clock-held.ts";

export const scenario = heldBy("chrony.service");

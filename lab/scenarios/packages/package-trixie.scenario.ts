import { packaged } from "./packaged.ts";

export const scenario = packaged("trixie");

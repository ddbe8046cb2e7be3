import { packaged } from "../packaged/packaged.ts";

export const scenario = packaged("trixie");

import { counted } from "../counts.ts";
import { describeCrashPoints } from "./lab/crash-suite.ts";

describeCrashPoints("binary", { when: "after", every: counted({ usual: 5, all: 1 }) });

import { counted } from "../counts.ts";
import { describeCrashPoints } from "./lab/crash-suite.ts";

// What one operation leaves behind is what the next one finds: each kind is killed on one side of them.
describeCrashPoints("rules", { when: "before", every: counted({ usual: 24, all: 1 }) });

import { describeCrashPoints } from "../../lab/crashes/crash-suite.ts";

// What one operation leaves behind is what the next one finds: each kind is killed on one side of them.
describeCrashPoints("rules", { when: "before", oneIn: 64, oneStateIn: 16 });

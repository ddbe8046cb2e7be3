import { describeCrashPoints } from "../../lab/crashes/crash-suite.ts";

// One operation leaves behind what the next one finds, so each kind is killed on one side of them only.
describeCrashPoints("rules", { when: "before", oneIn: 64, oneStateIn: 16 });

import { describeCrashPoints } from "../../lab/crashes/crash-suite.ts";

describeCrashPoints("binary", { when: "after", oneIn: 8, oneStateIn: 1 });

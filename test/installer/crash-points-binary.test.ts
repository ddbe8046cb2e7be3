import { describeCrashPoints } from "./lab/crash-suite.ts";

describeCrashPoints("binary", { when: "after", oneIn: 8, oneStateIn: 1 });

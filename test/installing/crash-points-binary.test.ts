import { describeCrashPoints } from "./lab/crash-suite.ts";

describeCrashPoints("binary", ["after"]);

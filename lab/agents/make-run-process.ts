import "../../scripts/run.ts";

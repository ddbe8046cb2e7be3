import "../scripts/run.ts";

import "../run/main.ts";

// Required by a program of ours: says at its end how much memory it took at most, in KiB.
process.on("exit", () => process.stderr.write(`peak ${process.resourceUsage().maxRSS}\n`));

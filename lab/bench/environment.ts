/** Variables that a program may find set without its measurements differing from those on a device. */
const kept = new Set(["PATH", "HOME", "TMPDIR"]);

/**
 * Clears the environment of this process, and so of all that it starts. A development machine often sets variables that
 * no device has: with NODE_EXTRA_CA_CERTS each start of Node reads the system's certificates, which doubles it.
 */
export function clearEnvironment(): void {
  for (const name of Object.keys(process.env)) if (!kept.has(name)) delete process.env[name];
}

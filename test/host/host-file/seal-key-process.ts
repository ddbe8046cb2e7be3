/** Says that it is there, and with the next word to it reads the sealing key of the places that its argument names. */
import { readSealKeys } from "../../../src/host/linux/host-file/seal-keys.ts";

process.stdout.write("ready");
process.stdin.once("data", async () => {
  const [key] = await readSealKeys(JSON.parse(process.argv[2] ?? ""));
  process.stdout.write(Buffer.from(key ?? []).toString("hex"));
  process.stdin.destroy();
});

import assert from "node:assert/strict";
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import { counted } from "../../../lab/basics/counts.ts";
import {
  asAgentUser,
  isRoot,
  takenFiles,
  type VerifyLab,
  withStaged,
} from "../../../lab/devices/verifying-device.ts";
import { ownCredentials } from "../../../lab/host/credentials.ts";
import { sha512 } from "../../../lab/publisher/signing-key.ts";
import { StewardError } from "../../../src/contract/errors.ts";
import { createOwnersRights } from "../../../src/host/linux/releases/agent-rights.ts";
import { openAgentFiles } from "../../../src/installer/files/agent-files.ts";
import { copySigned } from "../../../src/installer/verify/copy-payload.ts";
import { readSignedPayload } from "../../../src/releases/signed-payload.ts";

const installs = counted({ usual: 30, all: 1_000 });
/** So many by the whole of it; the rest by the steps that touch what the agent can touch. */
const wholeInstalls = counted({ usual: 12, all: 600 });
/** Which reasons a swap is refused for is left to chance: as long as one was not seen, on to here. */
const mostWholeInstalls = 2_000;

/**
 * A compromised agent while the installer works: it puts other things in the place of the staged payload, of its
 * directory, and of the metadata. It is plain JavaScript, for the agent's user may not read this repository.
 * `node -e SOURCE UPDATES ID` runs it. At an input or its end, or after two minutes, it prints the number of swaps and
 * ends.
 */
const swapperSource = `
const fs = require("node:fs");
const { execFileSync } = require("node:child_process");
const [updates, id] = process.argv.slice(1);
const staged = updates + "/staged", target = staged + "/" + id + ".tar.gz";
const store = updates + "/store", temporary = store + "/temporary";
fs.mkdirSync(store, { recursive: true });
const good = fs.readFileSync(target);
const evil = Buffer.from(good); evil.fill("E", evil.length >> 1);
fs.writeFileSync(store + "/good", good);
fs.writeFileSync(store + "/evil", evil);
fs.writeFileSync(store + "/longer", Buffer.concat([good, evil]));
fs.writeFileSync(store + "/sparse", ""); fs.truncateSync(store + "/sparse", 50 * 2 ** 30);
execFileSync("mkfifo", [store + "/fifo"]);
const rules = updates + "/metadata/rules.json", signed = fs.readFileSync(rules);
fs.writeFileSync(store + "/rules", signed);
fs.writeFileSync(store + "/changed", signed.toString().replace("1.0.0", "9.0.0"));
// Where both are one file already, rename(2) leaves them both.
const put = (name, at) => { fs.rmSync(temporary, { force: true }); fs.linkSync(store + "/" + name, temporary); fs.renameSync(temporary, at); };
const link = (to, at) => { fs.rmSync(temporary, { force: true }); fs.symlinkSync(to, temporary); fs.renameSync(temporary, at); };
const inPlace = (bytes) => {
  fs.rmSync(target, { force: true });
  fs.writeFileSync(target, good);
  const file = fs.openSync(target, "r+");
  for (let i = 0; i < 40; i += 1) fs.writeSync(file, i % 2 ? good : evil, 0, good.length, 0);
  fs.closeSync(file);
};
const swaps = [
  () => put("good", target), () => put("evil", target), () => link("../store/good", target),
  () => put("good", target), () => link("/etc/shadow", target), () => put("fifo", target),
  () => inPlace(), () => put("longer", target), () => put("sparse", target), () => put("good", target),
  () => { fs.renameSync(staged, staged + ".away"); fs.symlinkSync("store", staged); },
  () => { fs.unlinkSync(staged); fs.renameSync(staged + ".away", staged); },
  () => fs.rmSync(target, { force: true }), () => put("good", target),
  () => put("changed", rules), () => put("rules", rules), () => link("../store/rules", rules),
  () => put("rules", rules), () => put("good", target), () => put("evil", target),
];
let count = 0, isOver = false;
process.stdin.on("data", () => { isOver = true; }).on("end", () => { isOver = true; });
const end = Date.now() + 120000;
const turn = () => {
  for (let i = 0; i < 40; i += 1) { swaps[count % swaps.length](); count += 1; }
  if (isOver || Date.now() > end) { process.stdout.write(count + "\\n"); process.exit(0); }
  // Now and then a while in which all is as it should be, or nothing would ever be taken.
  if (count % 400 !== 0) return setImmediate(turn);
  put("good", target); put("rules", rules);
  setTimeout(turn, 10);
};
process.stdout.write("begun\\n");
turn();
`;

/** The number of installs that were taken, and by their codes of those that were refused. */
class Tally {
  readonly codes = new Map<string, number>();
  taken = 0;
  count = 0;

  /** Takes what `take` copies, which must be what was signed; true: it was taken. */
  async add(take: () => Promise<string>, hash: string): Promise<boolean> {
    this.count += 1;
    try {
      const path = await take();
      assert.equal(sha512(await readFile(path)), hash, "other bytes than the signed ones were taken");
      this.taken += 1;
      return true;
    } catch (error) {
      if (!(error instanceof StewardError)) throw error;
      this.codes.set(error.code, (this.codes.get(error.code) ?? 0) + 1);
      return false;
    }
  }

  /** It was taken, and refused for more than one reason. */
  hasSeenAll(): boolean {
    return this.taken > 0 && this.codes.size > 1;
  }

  inWords(): string {
    return `${this.taken} of ${this.count} taken, refused ${JSON.stringify(Object.fromEntries(this.codes))}`;
  }
}

describe("a process of the agent's user that swaps the staged files all the time", {
  skip: !isRoot && "needs root",
}, () => {
  it(`has nothing taken in ${installs} installs but the signed bytes`, async (test) => {
    const { lab, id, added } = await withStaged(test, { payload: randomBytes(700_000) });
    const swapper = await startSwapping(lab, id);
    test.after(() => void swapper.kill("SIGKILL"));
    const hash = added.target.hashes.sha512 ?? "";
    const whole = new Tally();
    while (whole.count < wholeInstalls || (!whole.hasSeenAll() && whole.count < mostWholeInstalls)) {
      const isTaken = await whole.add(async () => (await lab.verifyAndCopy(id)).payload, hash);
      if (!isTaken) assert.deepEqual(await takenFiles(lab.trust), []);
    }
    // Opened, copied, held against the signed hash.
    const steps = new Tally();
    const asAgent = await createOwnersRights(lab.agent, ownCredentials());
    const signed = readSignedPayload({ length: added.target.length, hashes: added.target.hashes });
    const copy = join(lab.trust, "copy");
    const openAndCopy = async () => {
      await rm(copy, { force: true });
      const files = await openAgentFiles(lab.agent, id, asAgent);
      try {
        copySigned(files.payload, copy, signed);
      } finally {
        files.close();
      }
      return copy;
    };
    while (steps.count < installs - wholeInstalls) await steps.add(openAndCopy, hash);
    const swaps = await stop(swapper);
    test.diagnostic(`${swaps} swaps; whole: ${whole.inWords()}; opened and copied alone: ${steps.inWords()}`);
    assert.ok(swaps > installs, `only ${swaps} swaps`);
    assert.ok(whole.hasSeenAll(), "nothing was taken, or all of it, or it was always refused for one reason");
  });
});

async function startSwapping(lab: VerifyLab, id: string): Promise<ChildProcessWithoutNullStreams> {
  const [program = "", ...options] = asAgentUser;
  const updates = join(lab.agent, "updates");
  const child = spawn(program, [...options, process.execPath, "-e", swapperSource, updates, id], {
    cwd: "/",
  });
  child.stderr.pipe(process.stderr);
  await once(child.stdout, "data");
  return child;
}

async function stop(child: ChildProcessWithoutNullStreams): Promise<number> {
  assert.equal(child.exitCode, null, "it had ended early");
  const printed = once(child.stdout, "data");
  child.stdin.end();
  const [count] = await printed;
  return Number(String(count));
}

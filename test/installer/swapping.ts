/**
 * A compromised agent while the installer works: it puts other things in the place of the staged payload, of its
 * directory, and of the metadata. It is plain JavaScript, for the agent's user may not read this repository.
 * `node -e SOURCE UPDATES ID` runs it. At an input or its end, or after two minutes, it prints the number of swaps and
 * ends.
 */
export const swapperSource = `
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

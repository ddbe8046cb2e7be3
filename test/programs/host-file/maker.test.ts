import assert from "node:assert/strict";
import { chownSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { startAgentInProcess } from "../../../lab/agents/agent-in-process.ts";
import { scratchDirectory } from "../../../lab/basics/scratch.ts";
import { asRoot } from "../../../lab/host/host-file-of-root.ts";
import { hostFile, ownDirectory, readAt, refused, write } from "../../../lab/host/judged-host-file.ts";

const svg =
  '<?xml version="1.0"?>\n<!-- a pump -->\n<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"/>';

const png = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=",
  "base64",
);

/** Writes such a file, and a host file whose maker has it as this member; gives the path of that. */
function makerWith(member: "mark" | "picture", directory: string) {
  return (name: string, bytes: string | Buffer): string => {
    const path = join(directory, name);
    writeFileSync(path, bytes, { mode: 0o644 });
    return write(join(directory, "steward.json"), { maker: { name: "Pumpworks", [member]: path } });
  };
}

describe("the maker in the host file", asRoot, () => {
  it("has a mark that is what its name says, is small, and is root's", async (test) => {
    const directory = ownDirectory(test);
    const withMark = makerWith("mark", directory);
    const absent = { name: "a", mark: "/etc/no/mark.svg" };
    await refused(hostFile(test, { maker: absent }), /\/maker\/mark names .*not exist/);
    await refused(withMark("a.svg", "<html><svg/></html>"), /\/maker\/mark names .* is not an SVG file/);
    await refused(withMark("a.png", svg), /is not a PNG file/);
    await refused(withMark("b.svg", svg + " ".repeat(65_536)), /more than the limit of 65536/);
    const path = withMark("c.svg", svg);
    const mark = join(directory, "c.svg");
    const { maker } = await readAt(path);
    assert.deepEqual(maker, { name: "Pumpworks", mark, picture: null, support: null });
    chownSync(mark, 65_534, 0);
    await refused(path, /must belong to root/);
  });

  it("has a picture of the product, which may be larger and a photograph", async (test) => {
    const directory = ownDirectory(test);
    const withPicture = makerWith("picture", directory);
    const jpeg = Buffer.concat([Buffer.from([0xff, 0xd8, 0xff, 0xe0]), Buffer.alloc(200_000)]);
    await refused(withPicture("a.jpg", svg), /\/maker\/picture names .* is not a JPEG file/);
    await refused(withPicture("b.svg", svg + " ".repeat(262_144)), /more than the limit of 262144/);
    const maker = (await readAt(withPicture("c.jpg", jpeg))).maker;
    assert.equal(maker?.picture, join(directory, "c.jpg"));
  });
});

async function startWith(test: TestContext, maker: object) {
  const file = write(join(scratchDirectory(), "steward.json"), { maker });
  const agent = await startAgentInProcess({ arguments: ["--host-file", file] });
  test.after(() => agent.dispose());
  return agent;
}

describe("the mark of a maker", () => {
  it("is given out before sign-in, as a document without an origin that runs and fetches nothing", async (test) => {
    const directory = scratchDirectory();
    const picture = join(directory, "product.png");
    writeFileSync(picture, png, { mode: 0o644 });
    const maker = { name: "Pumpworks", mark: write(join(directory, "mark.svg"), svg), picture };
    const agent = await startWith(test, { ...maker, support: "+49 40 1234" });
    const { json } = await agent.call("GET", "/api/console");
    assert.deepEqual(json.maker, { ...maker, mark: true, picture: true, support: "+49 40 1234" });
    const answer = await fetch(`${agent.url}/maker-mark`);
    assert.deepEqual([answer.status, await answer.text()], [200, svg]);
    const header = (name: string) => answer.headers.get(name) ?? "";
    assert.deepEqual(["content-type", "x-content-type-options", "cache-control"].map(header), [
      "image/svg+xml",
      "nosniff",
      "no-cache",
    ]);
    const policy = header("content-security-policy").split("; ");
    assert.deepEqual([policy.includes("default-src 'none'"), policy.includes("sandbox")], [true, true]);
    const again = await agent.call("GET", "/maker-mark", { headers: { "if-none-match": header("etag") } });
    assert.equal(again.status, 304);
    assert.equal((await fetch(`${agent.url}/maker-mark`, { method: "POST" })).status, 405);
    const product = await fetch(`${agent.url}/maker-picture`);
    assert.deepEqual([product.status, product.headers.get("content-type")], [200, "image/png"]);
    assert.deepEqual(Buffer.from(await product.arrayBuffer()), png);
  });

  const page = "<html><script>1</script></html>";
  for (const [name, change, words] of [
    ["is gone", (mark: string) => rmSync(mark), /mark\.svg does not exist/],
    ["has become a page", (mark: string) => write(mark, page), /is not an SVG file/],
  ] as const)
    it(`is not given out where it ${name} since the start, which the log says once`, async (test) => {
      const mark = write(join(scratchDirectory(), "mark.svg"), svg);
      const agent = await startWith(test, { name: "Pumpworks", mark });
      change(mark);
      for (let times = 0; times < 2; times += 1)
        assert.equal((await fetch(`${agent.url}/maker-mark`)).status, 404);
      const lines = agent.log().match(/.*the maker's mark is not shown.*/g) ?? [];
      assert.deepEqual([lines.length, words.test(lines[0] ?? "")], [1, true], lines.join());
    });
});

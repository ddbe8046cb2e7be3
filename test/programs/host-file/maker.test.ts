import assert from "node:assert/strict";
import { chownSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { startAgentInProcess } from "../../../lab/agents/agent-in-process.ts";
import { scratchDirectory } from "../../../lab/basics/scratch.ts";
import { asRoot } from "../../../lab/host/host-file-of-root.ts";
import { hostFile, ownDirectory, readAt, refused, write } from "../../../lab/host/judged-host-file.ts";

const svg =
  '<?xml version="1.0"?>\n<!-- a pump -->\n<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"/>';

/** One pixel. */
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
  const nonsense: [string, unknown, RegExp][] = [
    ["no name", {}, /\/maker\/name is missing/],
    ["a name with a line feed", { name: "a\nb" }, /\/maker\/name must be a text/],
    ["another mark", { name: "a", mark: "/etc/mark.gif" }, /\/maker\/mark must be an absolute path/],
    [
      "a picture of another kind",
      { name: "a", picture: "/etc/product.jpeg" },
      /\/maker\/picture must be an absolute path of an \.svg, \.png or \.jpg file/,
    ],
    ["a mark that is not there", { name: "a", mark: "/etc/no/mark.svg" }, /\/maker\/mark names .*not exist/],
    ...["javascript:alert(1)", "http://a.example", "help", "a b@c.example", "+49"].map(
      (support): [string, unknown, RegExp] => [
        `support at ${support}`,
        { name: "a", support },
        /\/maker\/support must be an https address, an e-mail address, or/,
      ],
    ),
  ];
  for (const [name, maker, words] of nonsense)
    it(`with ${name} is refused`, (test) => refused(hostFile(test, { maker }), words));

  it("has a mark that is what its name says, is small, and is root's", async (test) => {
    const directory = ownDirectory(test);
    const withMark = makerWith("mark", directory);
    await refused(withMark("a.svg", "<html><svg/></html>"), /\/maker\/mark names .* is not an SVG file/);
    await refused(withMark("a.png", svg), /is not a PNG file/);
    await refused(withMark("b.svg", svg + " ".repeat(65_536)), /more than the limit of 65536/);
    const path = withMark("c.svg", svg);
    const mark = join(directory, "c.svg");
    assert.deepEqual((await readAt(path)).maker, {
      ...{ name: "Pumpworks", mark, picture: null, support: null },
    });
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

describe("the mark of a maker", () => {
  it("is given out before sign-in, as a document without an origin that runs and fetches nothing", async () => {
    const directory = scratchDirectory();
    const maker = {
      name: "Pumpworks",
      mark: write(join(directory, "mark.svg"), svg),
      picture: join(directory, "product.png"),
      support: "+49 40 1234",
    };
    writeFileSync(maker.picture, png, { mode: 0o644 });
    const file = write(join(directory, "steward.json"), { maker });
    const agent = await startAgentInProcess({ arguments: ["--host-file", file] });
    try {
      const { json } = await agent.call("GET", "/api/console");
      assert.deepEqual(json.maker, {
        ...{ name: "Pumpworks", mark: true, picture: true, support: "+49 40 1234" },
      });
      const answer = await fetch(`${agent.url}/maker-mark`);
      assert.deepEqual([answer.status, await answer.text()], [200, svg]);
      assert.equal(answer.headers.get("content-type"), "image/svg+xml");
      assert.equal(answer.headers.get("x-content-type-options"), "nosniff");
      const policy = answer.headers.get("content-security-policy")?.split("; ") ?? [];
      assert.deepEqual([policy.includes("default-src 'none'"), policy.includes("sandbox")], [true, true]);
      const etag = answer.headers.get("etag") ?? "";
      const again = await agent.call("GET", "/maker-mark", { headers: { "if-none-match": etag } });
      assert.deepEqual([again.status, answer.headers.get("cache-control")], [304, "no-cache"]);
      assert.equal((await fetch(`${agent.url}/maker-mark`, { method: "POST" })).status, 405);
      const product = await fetch(`${agent.url}/maker-picture`);
      assert.deepEqual([product.status, product.headers.get("content-type")], [200, "image/png"]);
      assert.deepEqual(Buffer.from(await product.arrayBuffer()), png);
    } finally {
      await agent.dispose();
    }
  });

  const changes: [string, (mark: string) => void, RegExp][] = [
    ["is gone", (mark) => rmSync(mark), /mark\.svg does not exist/],
    ["has become a page", (mark) => write(mark, "<html><script>1</script></html>"), /is not an SVG file/],
  ];
  for (const [name, change, words] of changes)
    it(`is not given out where it ${name} since the start, which the log says once`, async () => {
      const directory = scratchDirectory();
      const mark = write(join(directory, "mark.svg"), svg);
      const file = write(join(directory, "steward.json"), { maker: { name: "Pumpworks", mark } });
      const agent = await startAgentInProcess({ arguments: ["--host-file", file] });
      try {
        change(mark);
        for (let times = 0; times < 2; times += 1)
          assert.equal((await fetch(`${agent.url}/maker-mark`)).status, 404);
        const lines = agent
          .log()
          .split("\n")
          .filter((line) => line.includes("the maker's mark is not shown"));
        assert.deepEqual([lines.length, words.test(lines[0] ?? "")], [1, true], lines.join());
      } finally {
        await agent.dispose();
      }
    });

  it("is not there on a device whose host file names none", async () => {
    const agent = await startAgentInProcess();
    try {
      assert.equal((await agent.call("GET", "/api/console")).json.maker, null);
      for (const path of ["/maker-mark", "/maker-picture"])
        assert.equal((await fetch(`${agent.url}${path}`)).status, 404);
    } finally {
      await agent.dispose();
    }
  });
});

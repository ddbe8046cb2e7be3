import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isForeign, isNavigation, type PageRequest, returnPath } from "../../src/product/page-request.ts";

const own = "https://edge-7.example.net:444";

/** A request of which nothing is said but what a row names. */
function asked(members: Partial<PageRequest>): PageRequest {
  const silent = { method: undefined, target: undefined, origin: undefined, accept: undefined };
  return { ...silent, ...{ site: undefined, mode: undefined, dest: undefined }, ...members };
}

const opens = { method: "GET", mode: "navigate", dest: "document" } as const;

describe("a request to a page of the product", () => {
  it("is a person's who opens it by what a browser says of it, and by Accept only where it says nothing", () => {
    const html = "text/html,application/xhtml+xml;q=0.9";
    for (const [what, members, expected] of [
      ["a page", opens, true],
      ["its head", { ...opens, method: "HEAD" }, true],
      ["a form", { ...opens, method: "POST" }, false],
      ["a method in lower case", { ...opens, method: "get" }, false],
      ["no method", { mode: "navigate", dest: "document" }, false],
      ["an object", { ...opens, dest: "object" }, false],
      ["no destination", { method: "GET", mode: "navigate" }, false],
      ["a script that asks for HTML", { method: "GET", mode: "cors", dest: "empty", accept: html }, false],
      ["HTML over plain HTTP", { method: "GET", accept: html }, true],
      ["a form over plain HTTP", { method: "POST", accept: html }, false],
      ["JSON over plain HTTP", { method: "GET", accept: "application/json" }, false],
      ["nothing said", { method: "GET" }, false],
    ] as const)
      assert.equal(isNavigation(asked(members)), expected, what);
  });

  it("is foreign by the origin that it says, to the letter, whatever else it says", () => {
    const same = { ...opens, site: "same-origin" };
    for (const [origin, expected] of [
      [own, false],
      ["https://edge-7.example.net", true],
      ["https://edge-7.example.net:4444", true],
      ["http://edge-7.example.net:444", true],
      ["https://EDGE-7.example.net:444", true],
      [`${own}/`, true],
      [`${own}, ${own}`, true],
      ["", true],
    ] as const) {
      assert.equal(isForeign(own, asked({ ...same, origin })), expected, origin);
      assert.equal(isForeign(own, asked({ method: "POST", site: "cross-site", origin })), expected, origin);
    }
  });

  it("is foreign without an origin where it may change something, or another site's page has caused it", () => {
    const script = { mode: "no-cors", dest: "image" };
    for (const [what, members, expected] of [
      ["an own POST", { method: "POST", site: "same-origin" }, false],
      ["a POST of another port", { method: "POST", site: "same-site" }, true],
      ["a POST of the address line", { ...opens, method: "POST", site: "none" }, true],
      ["an own method that is not known", { method: "FROB", site: "same-origin" }, false],
      ["no method, from elsewhere", { ...script, site: "same-site" }, true],
      ["no method, of a program", {}, true],
      ["a program", { method: "GET" }, false],
      ["a program's HEAD", { method: "HEAD" }, false],
      ["its own picture", { method: "GET", ...script, site: "same-origin" }, false],
      ["a picture of the address line", { method: "GET", ...script, site: "none" }, false],
      ["a picture of another port's page", { method: "HEAD", ...script, site: "same-site" }, true],
      ["a site that is not known", { method: "GET", ...script, site: "same-party" }, true],
      ["a link on another port's page", { ...opens, site: "same-site" }, false],
      ["the head of a link's page", { ...opens, method: "HEAD", site: "cross-site" }, false],
      [
        "HTML over plain HTTP, from elsewhere",
        { method: "GET", site: "cross-site", accept: "text/html" },
        false,
      ],
    ] as const)
      assert.equal(isForeign(own, asked(members)), expected, what);
  });

  it("leads back to a path of the page, and else to its first page", () => {
    const longest = `/${"a".repeat(1_999)}`;
    for (const path of ["/", "/a", "/a//b?x=//y", "/?to=//host", "/a\\b", "/.//host", "/~!'()*", longest])
      assert.equal(returnPath(path), path);
    for (const target of [
      ...[undefined, "", "a", "?a", "*", `${longest}a`],
      ...["//host", "///host", "/\\host", "\\host", "\\/host"],
      ...["https://host/", "javascript:alert(1)", "host:443"],
      ...["/a b", " /a", "/a ", "/\t/host", "/\n/host", "/a\r\nSet-Cookie: a=b", "/a\0", "/a\x7f"],
      ...["/ä", "/a\u0085", "/a\u2028", "/a\u202e", "/\ud83d\ude00"],
    ])
      assert.equal(returnPath(target), "/", JSON.stringify(target));
  });
});

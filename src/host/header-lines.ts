/** RFC 9110 §5.6.2 and §5.5, in ASCII. */
const line = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([\x21-\x7e](?:[\x20-\x7e\t]*[\x21-\x7e])?)[ \t]*$/;

/** Headers that the request has of its own, that are for one hop, or that would change where it ends. */
const own =
  /^(host|connection|keep-alive|proxy-.*|content-.*|transfer-encoding|accept-encoding|expect|upgrade|trailer|te)$/;

/** The headers in a text, a line each, without empty lines and #; names in lower case. A text: the first line's fault. */
export function readHeaderLines(text: string): Readonly<Record<string, string>> | string {
  const headers: Record<string, string> = {};
  for (const [index, one] of text.split("\n").entries()) {
    if (/^\s*(#|$)/.test(one)) continue;
    const [, name, value] = line.exec(one.trimEnd()) ?? [];
    if (name === undefined || value === undefined)
      return `has a line ${index + 1} that is not of the form "name: value"`;
    if (own.test(name.toLowerCase()))
      return `names the header ${name} in line ${index + 1}, which each request has already`;
    headers[name.toLowerCase()] = value;
  }
  return headers;
}

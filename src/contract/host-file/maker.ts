import { strictObject } from "../shapes.ts";
import { path, seenText } from "./members.ts";

/** The maker of the product, as the console names it. */
export const maker = strictObject(
  {
    name: {
      ...seenText(64),
      description: "The maker of the product, as the console names it",
      examples: ["Pumpworks"],
    },
    mark: {
      ...path,
      pattern: "^/[^\\u0000]*\\.(svg|png)$",
      "x-expected": "an absolute path of an .svg or .png file",
      description:
        "Its mark, an SVG or PNG file of up to 64 KiB that the console shows, to everyone on the sign-in page. Root must own it, like the host file",
      examples: ["/etc/steward/mark.svg"],
    },
    picture: {
      ...path,
      pattern: "^/[^\\u0000]*\\.(svg|png|jpg)$",
      "x-expected": "an absolute path of an .svg, .png or .jpg file",
      description:
        "A picture of the product, an SVG, PNG or JPEG file of up to 256 KiB that the console shows. Root must own it, like the host file",
      examples: ["/etc/steward/product.jpg"],
    },
    support: {
      type: "string",
      pattern: "^(https://[^\\s<>]{1,200}|[^\\s@<>]{1,64}@[^\\s@<>]{1,190}|\\+[0-9][0-9 ]{4,30}[0-9])$",
      "x-expected": "an https address, an e-mail address, or a telephone number such as +49 40 123456",
      description:
        "The address at which it helps, as the console shows it: https, e-mail, or a telephone number that begins with `+`",
      examples: ["support@pumpworks.example"],
    },
  },
  ["mark", "picture", "support"],
);

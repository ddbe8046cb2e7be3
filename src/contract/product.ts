import { role, strictObject } from "./shapes.ts";

/** The levels of what a product reports; a need has one of the last two. */
export const reportLevels = ["notice", "attention", "failing"] as const;

const pageName = { type: "string", description: "as the host file names it" } as const;

const productPage = strictObject(
  {
    name: pageName,
    title: strictObject({ en: { type: "string" }, de: { type: "string" } }, ["de"]),
    url: { type: "string", description: "the origin at which people open it" },
    role: { ...role, description: "the least role that may open it" },
  },
  [],
);

const named = {
  name: { type: "string", description: "as releases name it" },
  version: {
    type: ["string", "null"],
    description: "of the release in force, else of `product.version_file`; null: not known",
  },
} as const;

/** The product that the host file names. */
export const productVersion = strictObject(named);

export const product = strictObject({
  ...named,
  pages: { type: "array", items: productPage, description: "those that the caller may open" },
});

export const pageParameters = { name: pageName } as const;

export const checkQuery = strictObject(
  { redirect: { type: "string", enum: ["", "true"], description: "lead a person to the sign-in by a 302" } },
  ["redirect"],
);

export const enterRequest = strictObject(
  { to: { type: "string", maxLength: 4_096, description: "the path on the page; others lead to its first" } },
  ["to"],
);

export const entered = strictObject({
  location: {
    type: "string",
    description: "the address at which the page lets this browser in, once, within a minute",
  },
});

export const finishQuery = strictObject(
  { code: { type: "string", maxLength: 64 }, to: { type: "string", maxLength: 4_096 } },
  ["to"],
);

/** The names of these shapes in the OpenAPI document. */
export const productShapes = () =>
  ({
    Product: product,
    ProductVersion: productVersion,
    ProductPage: productPage,
    PageEntrance: entered,
    PageEntranceRequest: enterRequest,
  }) as const;

export const productExamples = { PageEntranceRequest: { to: "/status?a=1" } };

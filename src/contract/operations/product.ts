import * as product from "../product.ts";
import type { Operation } from "./operation.ts";

/** The product of the device: its pages, whose visitors sign in at Steward. */
export const productOperations = {
  checkPage: {
    method: "GET",
    path: "/api/product/pages/{name}/check",
    summary: "Judge a request to a page of the product, for the proxy before that page",
    description:
      "The proxy passes the request's headers on, its method as `X-Original-Method` or `X-Forwarded-Method` and its path as `X-Original-URI` or `X-Forwarded-Uri`. 204: it may go through, with the visitor in `Steward-User`, `Steward-User-Id`, `Steward-Role`, `Steward-Kind` and `Steward-Session`, and `Steward-Gate` where the host file has a `secret_file`. 401: without a sign-in; the request of a person gets the address of the sign-in in `Steward-Sign-In`, or with `redirect` a 302 there. 403: `Steward-Refusal` says whether the `role` is too low or another origin (`foreign`) asks. A program sends an API token with the scope `product:use`.",
    access: "open",
    scope: "product:use",
    pathParameters: product.pageParameters,
    query: product.checkQuery,
    response: { status: 204, headers: [302, 401, 403] },
    errors: ["not_found"],
  },
  enterPage: {
    method: "POST",
    path: "/api/product/pages/{name}/enter",
    summary: "Open a page of the product in the browser of this session",
    description: "The address has a code of 60 s and one use, which counts for this page only.",
    access: "session",
    pathParameters: product.pageParameters,
    body: product.enterRequest,
    bodyOptional: true,
    response: { status: 200, schema: product.entered },
    errors: ["not_found", "forbidden"],
  },
  finishPage: {
    method: "GET",
    path: "/api/product/pages/{name}/finish",
    summary: "Give the browser the cookie of the page, for the proxy before that page",
    description:
      "The proxy passes `/.steward/enter` of the page on to it, with the query as it came. 302: to the path on the page, with the cookie, or to the sign-in where the code is not good any more; 200 with `Refresh` under another name than the console's. 403: a foreign page has sent the code.",
    access: "open",
    pathParameters: product.pageParameters,
    query: product.finishQuery,
    response: { status: 302, headers: [200, 403] },
    errors: ["not_found"],
  },
} as const satisfies Record<string, Operation>;

/** The part of oidc-provider 9.13.3 that tests use; the package brings no types. */
declare module "oidc-provider" {
  import type { RequestListener } from "node:http";

  export class Provider {
    constructor(issuer: string, configuration: object);
    callback(): RequestListener;
  }
}

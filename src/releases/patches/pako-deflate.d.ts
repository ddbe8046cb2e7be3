/** The part of pako 2.2.0 that packs payloads again; the package brings no types. */
declare module "pako/lib/deflate.js" {
  export class Deflate {
    constructor(options: { level: number; gzip: true; chunkSize: number });
    /** `isLast`: the stream ends with it. Calls `onData` for each full chunk, and for the rest at the end. */
    push(data: Uint8Array, isLast: boolean): boolean;
    onData: (chunk: Uint8Array) => void;
  }
}

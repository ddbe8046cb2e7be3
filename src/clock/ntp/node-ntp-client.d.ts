/** What is used of ntp-client 0.5.3, which brings no types; loaded with `import()`, so it is the module's default. */
declare module "node-ntp-client" {
  interface NtpClient {
    /** Milliseconds; one for all calls. */
    ntpReplyTimeout: number;
    /** The error may be a string; the date may be invalid. Throws on a bad port. */
    getNetworkTime(
      server: string,
      port: number,
      callback: (error: Error | string | null, date: Date | null) => void,
    ): void;
  }
  const client: NtpClient;
  export = client;
}

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isLocalServer } from "../../../src/host/linux/network/server-addresses.ts";

describe("isLocalServer", () => {
  for (const server of [
    "http://127.0.0.1/",
    "https://127.255.255.254:8443/repo",
    "http://127.1:8080",
    "http://2130706433/",
    "http://0x7f.0.0.1/",
    "http://0177.0.0.1/",
    "http://0.0.0.0:8080",
    "http://0/",
    "http://[::1]:8080/",
    "http://[::]/",
    "http://[0:0:0:0:0:0:0:1]/",
    "http://[::ffff:127.0.0.1]/",
    "http://[::ffff:169.254.169.254]/",
    "http://169.254.169.254/latest",
    "http://168.63.129.16/",
    "http://192.0.0.192/",
    "http://[fe80::1]/",
    "http://[febf::1]/",
    "http://localhost:8080/",
    "https://LOCALHOST./",
    "http://updates.localhost/",
  ]) {
    it(`knows ${server} for this host or its wire`, () => {
      assert.equal(isLocalServer(server), true);
    });
  }

  for (const server of [
    "",
    "https://updates.example.net/demo",
    "http://10.0.0.5/",
    "http://192.168.1.5:8080/",
    "http://128.0.0.1/",
    "http://169.255.0.1/",
    "http://[fec0::1]/",
    "http://[fd00::1]/",
    "http://[::ffff:10.0.0.1]/",
    "http://localhost.example.net/",
    "http://mylocalhost/",
    "file:///mnt/stick/repository",
  ]) {
    it(`takes ${JSON.stringify(server)} for one that is elsewhere`, () =>
      assert.equal(isLocalServer(server), false));
  }
});

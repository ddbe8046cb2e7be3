const manager = ["org.freedesktop.systemd1", "/org/freedesktop/systemd1", "org.freedesktop.systemd1.Manager"];
const call = (...args: readonly string[]): string[] => ["busctl", "call", ...manager, ...args];
const systemctl = (...args: readonly string[]): string[] => ["systemctl", "--no-ask-password", ...args];

const chrony = "steward-chrony@reselect.service";

/** A unit that is there and has been started: only a missing right can refuse a request about it. */
const timesyncd = "systemd-timesyncd.service";
const installation = "steward-install@0123456789abcdef0123456789abcdef.service";

/** Requests of systemd that only root may make; each is answered with a refusal, not with "there is no such thing". */
export const requests: readonly (readonly string[])[] = [
  // The root helper does these: there is no other way to them.
  systemctl("start", installation),
  systemctl("start", chrony),
  systemctl("restart", timesyncd),
  call("StartUnit", "ss", installation, "replace"),
  ...["stop", "start", "try-restart", "reload-or-restart", "kill", "clean", "reset-failed", "freeze"].map(
    (verb) => systemctl(verb, timesyncd),
  ),
  call("EnqueueUnitJob", "sss", chrony, "restart", "replace"),
  call("StopUnit", "ss", "steward-helper.socket", "replace"),
  ...["stop", "restart", "kill"].map((verb) => systemctl(verb, "steward-helper.service")),
  systemctl("set-property", "--runtime", "steward-helper.service", "CPUQuota=100%"),
  systemctl("set-property", "--runtime", "steward.service", "CPUWeight=1"),
  call("BindMountUnit", "sssbb", "steward.service", "/etc", "/mnt", "true", "true"),
  // Other units.
  ...["start", "stop", "restart", "reload", "kill", "isolate"].map((verb) =>
    systemctl(verb, "steward.service"),
  ),
  ...["start", "stop", "restart"].map((verb) => systemctl(verb, "other.service")),
  systemctl("restart", "systemd-journald.service"),
  systemctl("restart", "systemd-logind.service"),
  systemctl("start", "rescue.target"),
  systemctl("isolate", "rescue.target"),
  systemctl("start", "debug-shell.service"),
  // Unit files, and units made of nothing.
  ...["enable", "disable", "mask", "unmask", "reenable", "preset", "revert"].map((verb) =>
    systemctl(verb, "other.service"),
  ),
  systemctl("enable", "steward.service"),
  // The agent may neither begin nor end whatever undoes a release or lets it stay.
  ...["start", "stop", "restart", "kill"].flatMap((verb) => [
    systemctl(verb, "steward-guard.service"),
    systemctl(verb, "steward-guard-boot.service"),
  ]),
  systemctl("set-default", "rescue.target"),
  systemctl("link", "/tmp/linked.service"),
  ["systemd-run", "--no-ask-password", "true"],
  ["systemd-run", "--no-ask-password", "--unit=steward-install@run.service", "true"],
  ["systemd-run", "--no-ask-password", "--scope", "true"],
  // The manager itself.
  systemctl("daemon-reload"),
  systemctl("daemon-reexec"),
  systemctl("set-environment", "PATH=/tmp"),
  systemctl("unset-environment", "PATH"),
  systemctl("log-level", "debug"),
  call("SetShowStatus", "s", "yes"),
  call("ClearJobs"),
  call("ResetFailed"),
  // The machine.
  ...["poweroff", "reboot", "halt"].map((verb) => systemctl(verb)),
  systemctl("reboot", "--force"),
  ["loginctl", "--no-ask-password", "enable-linger", "root"],
  ["loginctl", "--no-ask-password", "lock-sessions"],
  ["timedatectl", "--no-ask-password", "set-timezone", "Europe/Berlin"],
  ["timedatectl", "--no-ask-password", "set-local-rtc", "1"],
  ["hostnamectl", "--no-ask-password", "hostname", "mine"],
  ["localectl", "--no-ask-password", "set-locale", "LANG=C"],
  // These need no service.
  ["date", "--set", "2030-01-01"],
  ["journalctl", "--rotate"],
  ["touch", "/etc/systemd/system/mine.service"],
  ["rm", "/run/steward-helper.socket"],
];

/** Lines that no word of the root helper takes; the program's own test has many more. */
export const outside: readonly string[] = [
  ...["", "reboot now", "REBOOT", "reboot\r", "start ssh.service", "systemctl reboot", "sh -c id", "--help"],
  ...[
    "install",
    "install ../../etc",
    `install ${"a".repeat(33)}`,
    "install rollbackrules",
    "install x.service",
  ],
  ...[
    "rollback both",
    "rollback rules --as-root",
    "chrony shutdown",
    "chrony settime 2030",
    "chrony burst 4/4",
  ],
  ...["restart-timesyncd now", "restart steward", "factory-reset", "time-zone ../../../etc/shadow"],
  ...["time-zone right/UTC", "host-name a.b", "host-name $(id)", "set-time 2030-01-01"],
].map((line) => `${line}\n`);

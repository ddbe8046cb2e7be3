const manager = ["org.freedesktop.systemd1", "/org/freedesktop/systemd1", "org.freedesktop.systemd1.Manager"];
const call = (...args: readonly string[]): string[] => ["busctl", "call", ...manager, ...args];
const systemctl = (...args: readonly string[]): string[] => ["systemctl", "--no-ask-password", ...args];

const allowed = "steward-chrony@reselect.service";

/** An instance that may be started, has been, and is still there: only polkit can refuse a request about it. */
export const installation = "steward-install@0123456789abcdef0123456789abcdef.service";
const thirtyThree = "0123456789abcdef0123456789abcdef0";

/** Requests that only root may make; each is answered with a refusal, not with "there is no such thing". */
export const requests: readonly (readonly string[])[] = [
  // Other verbs on the units that may be started.
  ...["stop", "restart", "try-restart", "reload-or-restart", "kill", "clean", "reset-failed", "freeze"].map(
    (verb) => systemctl(verb, installation),
  ),
  systemctl("stop", allowed),
  systemctl("restart", allowed),
  call("EnqueueUnitJob", "sss", allowed, "restart", "replace"),
  call("EnqueueUnitJob", "sss", allowed, "stop", "replace"),
  call("RestartUnit", "ss", allowed, "replace"),
  call("ReloadUnit", "ss", allowed, "replace"),
  call("StopUnit", "ss", allowed, "replace"),
  systemctl("set-property", "--runtime", allowed, "CPUWeight=1"),
  systemctl("set-property", "--runtime", "steward.service", "CPUWeight=1"),
  call("BindMountUnit", "sssbb", "steward.service", "/etc", "/mnt", "true", "true"),
  // Names that are nearly those.
  systemctl("start", "steward-chrony@RESELECT.service"),
  systemctl("start", "steward-chrony@re-select.service"),
  systemctl("start", String.raw`steward-chrony@makestep\x0a.service`),
  systemctl("start", String.raw`steward-chrony@x\x2e.service`),
  systemctl("start", "steward-chrony@..service"),
  systemctl("start", "steward-chrony@x.service.service"),
  systemctl("start", "steward-chrony@x@y.service"),
  systemctl("start", "steward-chrony@é.service").map((word) => word.replace("é", String.raw`\xc3\xa9`)),
  systemctl("start", "steward-chronyx@reselect.service"),
  systemctl("start", "steward-install@0123.socket"),
  systemctl("start", `steward-install@${thirtyThree}.service`),
  systemctl("start", "steward-install@ABCDEF.service"),
  systemctl("start", "steward-install@a_b.service"),
  // Other units.
  ...["start", "stop", "restart", "reload", "kill", "isolate"].map((verb) =>
    systemctl(verb, "steward.service"),
  ),
  ...["stop", "restart", "kill"].map((verb) => systemctl(verb, "chrony.service")),
  ...["start", "stop", "restart"].map((verb) => systemctl(verb, "other.service")),
  systemctl("restart", "systemd-journald.service"),
  systemctl("restart", "systemd-logind.service"),
  systemctl("restart", "polkit.service"),
  systemctl("start", "rescue.target"),
  systemctl("isolate", "rescue.target"),
  systemctl("start", "debug-shell.service"),
  systemctl("start", "systemd-timesyncd.service"),
  systemctl("stop", "systemd-timesyncd.service"),
  // Unit files, and units made of nothing.
  ...["enable", "disable", "mask", "unmask", "reenable", "preset", "revert"].map((verb) =>
    systemctl(verb, "other.service"),
  ),
  systemctl("enable", "steward.service"),
  // What undoes a release, or lets it stay, is nothing that the agent may begin or end.
  ...["start", "stop", "restart", "kill"].flatMap((verb) => [
    systemctl(verb, "steward-guard.service"),
    systemctl(verb, "steward-guard-boot.service"),
  ]),
  systemctl("mask", "--runtime", "chrony.service"),
  systemctl("set-default", "rescue.target"),
  systemctl("link", "/tmp/steward-chrony@link.service"),
  ["systemd-run", "--no-ask-password", "true"],
  ["systemd-run", "--no-ask-password", "--unit=steward-chrony@run.service", "true"],
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
  ...["poweroff", "reboot", "halt", "suspend"].map((verb) => systemctl(verb)),
  systemctl("reboot", "--force"),
  ["loginctl", "--no-ask-password", "enable-linger", "root"],
  ["loginctl", "--no-ask-password", "lock-sessions"],
  ["timedatectl", "--no-ask-password", "set-ntp", "false"],
  ["timedatectl", "--no-ask-password", "set-ntp", "true"],
  ["timedatectl", "--no-ask-password", "set-timezone", "Europe/Berlin"],
  ["timedatectl", "--no-ask-password", "set-local-rtc", "1"],
  ["hostnamectl", "--no-ask-password", "hostname", "mine"],
  ["localectl", "--no-ask-password", "set-locale", "LANG=C"],
  // What goes past polkit altogether.
  ["date", "--set", "2030-01-01"],
  ["journalctl", "--rotate"],
  ["touch", "/etc/systemd/system/mine.service"],
  ["touch", "/usr/share/polkit-1/rules.d/00-mine.rules"],
];

/** What comes to nothing before polkit is asked: names that no unit can have, jobs that are not there, a closed socket. */
export const impossible: readonly (readonly string[])[] = [
  call("StartUnit", "ss", "steward-chrony@reselect.service\n", "replace"),
  call("StartUnit", "ss", "\nsteward-chrony@reselect.service", "replace"),
  call("StartUnit", "ss", "steward-chrony@x/../y.service", "replace"),
  call("StartUnit", "ss", "steward-chrony@reselect.service other.service", "replace"),
  call("StartUnit", "ss", "steward-chrony@.service", "replace"),
  call("StartUnit", "ss", "../steward-chrony@reselect.service", "replace"),
  call("StartUnit", "ss", "steward-chrony@reselect.service", "isolate"),
  call("StartUnitReplace", "sss", "other.service", "steward-chrony@reselect.service", "replace"),
  call("AttachProcessesToUnit", "ssau", "steward.service", "", "1", "1"),
  systemctl("cancel", "1"),
  ["timedatectl", "--no-ask-password", "set-time", "2030-01-01 00:00:00"],
  ["chronyc", "-h", "/run/chrony/chronyd.sock", "makestep"],
  systemctl("start", "steward-chrony@.service"),
  systemctl("start", "steward-chrony@ reselect.service"),
];

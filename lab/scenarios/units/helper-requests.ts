const ids = "0123456789abcdef".repeat(2);
const manager =
  "busctl call org.freedesktop.systemd1 /org/freedesktop/systemd1 org.freedesktop.systemd1.Manager";

/**
 * Requests of systemd that only root may make; each is answered with a refusal, not with "there is no such thing". A word
 * with bars is each of its parts in turn.
 */
const lines = `
systemctl start steward-install@${ids}.service|steward-chrony@reselect.service|steward-https.service|debug-shell.service|rescue.target
systemctl stop|start|restart|try-restart|reload-or-restart|kill|clean|reset-failed|freeze systemd-timesyncd.service
systemctl stop|restart|kill steward-helper.service
systemctl set-property --runtime steward-helper.service CPUQuota=100%
systemctl set-property --runtime steward.service CPUWeight=1
systemctl start|stop|restart|reload|kill|isolate steward.service
systemctl start|stop|restart|kill steward-guard.service|steward-guard-boot.service
systemctl start|stop|restart|enable|disable|mask|unmask|reenable|preset|revert other.service
systemctl restart systemd-journald.service|systemd-logind.service
systemctl isolate|set-default rescue.target
systemctl enable steward.service
systemctl link /tmp/linked.service
systemctl daemon-reload|daemon-reexec|poweroff|reboot|halt
systemctl set-environment PATH=/tmp
systemctl unset-environment PATH
systemctl log-level debug
systemctl reboot --force
${manager} StartUnit ss steward-install@${ids}.service replace
${manager} EnqueueUnitJob sss steward-chrony@reselect.service restart replace
${manager} StopUnit ss steward-helper.socket replace
${manager} BindMountUnit sssbb steward.service /etc /mnt true true
${manager} SetShowStatus s yes
${manager} ClearJobs|ResetFailed
systemd-run true
systemd-run --unit=steward-install@run.service|--scope true
loginctl enable-linger root
loginctl lock-sessions
timedatectl set-timezone Europe/Berlin
timedatectl set-local-rtc 1
hostnamectl hostname mine
localectl set-locale LANG=C
date --set 2030-01-01
journalctl --rotate
touch /etc/systemd/system/mine.service
rm /run/steward-helper.socket`;

export const requests: readonly (readonly string[])[] = lines
  .trim()
  .split("\n")
  .flatMap((line) =>
    line
      .split(" ")
      .reduce<string[][]>(
        (all, word) => all.flatMap((one) => word.split("|").map((part) => [...one, part])),
        [[]],
      ),
  )
  .map(([program = "", ...words]) =>
    /ctl$|^systemd-run$/.test(program) && !["busctl", "journalctl"].includes(program)
      ? [program, "--no-ask-password", ...words]
      : [program, ...words],
  );

/** Lines that no word of the root helper takes; the program's own test has many more. */
export const outside: readonly string[] = `
reboot now|REBOOT|reboot\r|start ssh.service|systemctl reboot|sh -c id|--help|install|install ../../etc
install ${"a".repeat(33)}|install rollbackrules|install x.service|rollback both|rollback rules --as-root
chrony shutdown|chrony settime 2030|chrony burst 4/4|restart-timesyncd now|restart steward|factory-reset|enable-https 443|disable-https
time-zone ../../../etc/shadow|time-zone right/UTC|host-name a.b|host-name $(id)|set-time 2030-01-01|`
  .split(/[|\n]/)
  .slice(1)
  .map((line) => `${line}\n`)
  .concat(
    ...["reboot\0\n", "host-name pump\0-8\n", "reboot\nreboot\n", "power-off\n\n", "reboot"],
    ...[`${"x".repeat(127)}\n`, `host-name ${"a".repeat(100_000)}\n`, "\u00ff\u00fe\u0080\n"],
    ...["host-name a\nb\n", "chrony burst\nshutdown\n", `install ${ids.slice(2)}%h\n`],
  );

/**
 * A boot loader for a machine whose slots are files: it mounts the slot to boot at /run/system, and falls back to the
 * other one after three boots that nothing has marked good. RAUC asks it as its custom backend.
 */
const bootLoader = `#!/bin/sh
set -eu
state=/var/lib/boot-loader
mkdir -p "$state"
read_of() { cat "$state/$1" 2>/dev/null || echo "$2"; }
other_of() { if [ "$1" = A ]; then echo B; else echo A; fi; }
case $1 in
  get-primary) read_of primary A ;;
  set-primary) echo "$2" >"$state/primary"; echo 3 >"$state/left-$2"; echo good >"$state/state-$2" ;;
  get-state) read_of "state-$2" good ;;
  set-state) echo "$3" >"$state/state-$2"; [ "$3" = bad ] || echo confirmed >"$state/left-$2" ;;
  boot)
    slot=$(read_of primary A)
    left=$(read_of "left-$slot" confirmed)
    case $left in
      confirmed) ;;
      0) slot=$(other_of "$slot") ;;
      *) echo "$((left - 1))" >"$state/left-$slot" ;;
    esac
    mkdir -p /run/system
    mount -t squashfs -o loop,ro "/var/slots/$slot.img" /run/system || {
      # No system there: at once the other one.
      slot=$(other_of "$slot")
      mount -t squashfs -o loop,ro "/var/slots/$slot.img" /run/system
    }
    echo "$slot" >/run/booted
    ;;
esac
`;

const slot = (index: number, name: string): string =>
  `[slot.system.${index}]\ndevice=/var/slots/${name}.img\ntype=raw\nbootname=${name}\n`;

/** The files of a device on which RAUC works without Steward. */
export const raucFiles: Readonly<Record<string, string>> = {
  "/usr/lib/demo/boot-loader": bootLoader,
  "/etc/rauc/system.conf": `[system]
compatible=demo
bootloader=custom
statusfile=/var/lib/rauc.status
bundle-formats=plain

[keyring]
path=/etc/rauc/keyring.pem

[handlers]
bootloader-custom-backend=/usr/lib/demo/boot-loader

${slot(0, "A")}
${slot(1, "B")}`,
  // The kernel's command line would say this.
  "/etc/systemd/system/rauc.service.d/booted.conf": `[Service]
ExecStart=
ExecStart=/bin/sh -c 'exec /usr/bin/rauc --mount=/run/rauc --override-boot-slot="$(cat /run/booted)" service'
`,
  "/etc/systemd/system/demo-boot.service": `[Unit]
Description=The boot loader of the scenario
DefaultDependencies=no
After=local-fs.target
Before=sysinit.target
[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=/bin/sh /usr/lib/demo/boot-loader boot
`,
  "/etc/systemd/system/demo-product.service": `[Unit]
Description=The product in the booted image
[Service]
Type=exec
ExecStart=/usr/bin/perl /run/system/server.pl
`,
  // A container that reboots would run the same boot of the scenario again: it ends, and the next boot begins.
  "/etc/systemd/system/systemd-reboot.service.d/end.conf": `[Service]
ExecStart=
ExecStart=/bin/systemctl --force poweroff
`,
};

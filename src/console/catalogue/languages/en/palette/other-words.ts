/** Other words that people type for an entry; they are never shown. */
export const otherWords = {
  signOut: "log out, logout, log off, quit",
  looks: "look, dark mode, light mode, colours, colors, appearance",
  pages: {
    "/": "dashboard, status, health, overview, start",
    "/users": "accounts, people, roles, permissions, rights, delete user, members, export users",
    "/system": "device, health, diagnostics",
    "/system/device": "manage, identity, name, place, contact, network, certificate, https, tls",
    "/updates":
      "upgrade, firmware, software, releases, versions, rollback, patch, check for updates, install",
    "/system/settings": "configuration, config, options, preferences, setup",
    "/system/logs": "journal, syslog, messages, errors, debug, requests",
    "/system/events": "audit, activity, history, changes, who did what, export csv",
    "/system/history":
      "graph, chart, plot, curve, trend, course, statistics, temperature, load, disk usage, memory usage, drift",
    "/account": "profile, my account, display name, language",
  },
  places: {
    addUser: "new user, create user, new account, create account, invite",
    lockedUsers: "unlock, blocked, lockout",
    clock: "time, date, sync, synchronize, set the clock, offset, drift, ntp status",
    host: "storage, space, ram, cpu, processor, load, uptime, heat, hardware, swap",
    versions: "about, version, build, kernel, operating system, device id, serial, model",
    backup: "save, archive, export, copy, restore, replacement, age",
    bundle: "doctor, diagnostics, support, help, report a problem, archive",
    restart: "reboot, boot, power",
    powerOff: "shutdown, shut down, power off, halt, turn off",
    reset: "reset, erase, wipe, delete everything",
    sheet: "print, address, url, ip, qr code, label",
    password: "password, passphrase, new password",
    factor: "2fa, mfa, two-factor, authenticator, totp, otp, recovery codes, backup codes, lost phone",
    tokens: "token, api key, access key, bearer",
    sessions: "sessions, devices, browsers, sign out everywhere",
    trust: "fingerprint, root of trust, signature, signing key, publisher, certificate",
    history: "installed, former releases, failed update",
    setup: "wizard, setup, onboarding, assistant",
  },
};

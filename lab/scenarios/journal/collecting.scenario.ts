import type { Guest } from "../../machines/guest/vocabulary.ts";
import type { TieredScenario } from "../../machines/scenario.ts";

const collected = "/var/log/journal/remote";

/** Keys and certificates of both sides, by one authority. */
const certificates = `set -eu
mkdir -p /etc/steward/upload /etc/ssl/ca
cd /etc/steward/upload
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 30 -subj /CN=authority -keyout /root/ca.key -out authority.pem
signed() {
  openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj "/CN=$1" -keyout "$2" -out /root/request.pem
  echo "subjectAltName=DNS:$1" >/root/names
  openssl x509 -req -in /root/request.pem -CA authority.pem -CAkey /root/ca.key -CAcreateserial -days 30 -extfile /root/names -out "$3"
}
signed localhost /etc/ssl/private/journal-remote.pem /etc/ssl/certs/journal-remote.pem
signed edge-7 key.pem certificate.pem
cp authority.pem /etc/ssl/ca/trusted.pem
chmod 600 key.pem
chmod 711 /etc/ssl/private
chown systemd-journal-remote /etc/ssl/private/journal-remote.pem
`;

/** Collector and device are one machine here. */
export const scenario: TieredScenario = {
  title: "audit lines are sent to another machine, each once, and the record is checked against them there",
  tiers: { container: {} },
  timeoutSeconds: 240,
  files: {
    "/etc/systemd/journal-remote.conf":
      "[Remote]\nServerKeyFile=/etc/ssl/private/journal-remote.pem\nServerCertificateFile=/etc/ssl/certs/journal-remote.pem\nTrustedCertificateFile=/etc/ssl/ca/trusted.pem\n",
    "/etc/systemd/journal-upload.conf": "[Upload]\nURL=https://localhost:19532\n",
  },
  boots: [
    {
      run: async (guest) => {
        await guest.stewardAnswers();
        const made = await guest.run("sh", ["-c", certificates]);
        guest.check("the certificates are made", made.status === 0, made);
        await sends(guest);
        await goesOn(guest);
        await isChecked(guest);
      },
    },
  ],
};

async function add(guest: Guest, name: string, role = "readonly"): Promise<void> {
  const added = await guest.steward("user", "add", name, "--role", role, "--generate");
  guest.check(`${name} is made`, added.status === 0, added);
}

async function linesOf(guest: Guest, ...words: readonly string[]): Promise<string[]> {
  const { stdout } = await guest.run("journalctl", [`--directory=${collected}`, "--output=cat", ...words]);
  return stdout.split("\n").filter((line) => line !== "");
}

async function arrives(guest: Guest, name: string): Promise<void> {
  const lines = await guest.until(`${name} is known at the collector`, 60, async () => {
    const found = await linesOf(guest, "STEWARD_EVENT=user.created", `--grep=${name}`);
    return found.length > 0 ? found : undefined;
  });
  guest.check("once", lines.length === 1, lines);
}

async function sends(guest: Guest): Promise<void> {
  const { stdout } = await guest.run("systemctl", ["is-enabled", "steward-upload"]);
  guest.check("it is shipped disabled", stdout.trim() === "disabled", stdout);
  await add(guest, "root-admin", "admin");
  await guest.run("systemd-run", ["--wait", "--unit=other", "echo", "the secret of another service"]);
  await guest.run("systemctl", ["enable", "--now", "systemd-journal-remote.socket"]);
  const begun = await guest.run("systemctl", ["enable", "--now", "steward-upload"]);
  guest.check("it is begun", begun.status === 0, begun);
  await arrives(guest, "root-admin");
  const all = await linesOf(guest);
  guest.check("nothing of others is sent", !all.some((line) => line.includes("the secret")), all);
}

async function goesOn(guest: Guest): Promise<void> {
  await guest.run("systemctl", ["stop", "systemd-journal-remote.socket", "systemd-journal-remote.service"]);
  await add(guest, "while-away");
  await guest.pause(2);
  await guest.run("systemctl", ["start", "systemd-journal-remote.socket"]);
  await arrives(guest, "while-away");
  const first = await linesOf(guest, "STEWARD_EVENT=user.created", "--grep=root-admin");
  guest.check("what was sent before is not sent again", first.length === 1, first);
}

async function isChecked(guest: Guest): Promise<void> {
  await guest.run("systemctl", ["restart", "steward.service"]);
  await guest.stewardAnswers();
  const check = async () => {
    await guest.run("sh", ["-c", `journalctl --directory=${collected} --output=json >/root/lines.json`]);
    return guest.steward("events", "--verify", "--journal", "/root/lines.json");
  };
  const whole = await guest.until("the heads have arrived", 60, async () => {
    const ran = await check();
    return ran.status === 0 ? ran : undefined;
  });
  guest.check("the record fits", `${whole.stdout}${whole.stderr}`.includes("reaches all"), whole);
  await guest.run("systemctl", ["stop", "steward.service"]);
  await guest.run("sh", ["-c", "for file in /var/lib/steward/events/*.jsonl; do sed -i '$d' $file; done"]);
  await guest.run("journalctl", ["--namespace=steward", "--rotate", "--vacuum-size=1"]);
  await guest.run("systemctl", ["start", "steward.service"]);
  await guest.stewardAnswers();
  const cut = await check();
  guest.check("a record that root cut short on the device does not", cut.status === 1, cut);
}

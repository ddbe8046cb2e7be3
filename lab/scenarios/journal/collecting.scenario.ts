import type { Guest } from "../../machines/guest/vocabulary.ts";
import { type TieredScenario, walk } from "../../machines/scenario.ts";

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

const add = (name: string, role = "readonly") => `steward user add ${name} --role ${role} --generate`;

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
      run: walk(
        (guest) => guest.types(certificates, { what: "the certificates are made" }),
        sends,
        goesOn,
        isChecked,
      ),
    },
  ],
};

const journal = `journalctl --directory=${collected} --no-pager -o cat`;

/** Made on the device, and known at the collector, once. */
const arrives = (guest: Guest, name: string) =>
  guest.becomes(`${journal} STEWARD_EVENT=user.created | grep -c ${name}`, 60, { says: /^1$/m });

async function sends(guest: Guest): Promise<void> {
  await guest.types("systemctl is-enabled steward-upload", { status: 1, says: "disabled" });
  await guest.types(add("root-admin", "admin"));
  await guest.types("systemd-run --wait --unit=other echo 'the secret of another service'");
  await guest.types("systemctl enable --now systemd-journal-remote.socket steward-upload");
  await arrives(guest, "root-admin");
  await guest.types(`! ${journal} | grep 'the secret'`, { what: "nothing of others is sent" });
}

async function goesOn(guest: Guest): Promise<void> {
  await guest.types(
    `systemctl stop systemd-journal-remote.socket systemd-journal-remote.service; ${add("while-away")}; sleep 2; systemctl start systemd-journal-remote.socket`,
  );
  for (const name of ["while-away", "root-admin"]) await arrives(guest, name);
}

async function isChecked(guest: Guest): Promise<void> {
  await guest.restarts();
  const check = `journalctl --directory=${collected} -o json >/root/lines.json; steward events --verify --journal /root/lines.json`;
  await guest.becomes(check, 60, { says: "reaches all", what: "the record fits" });
  await guest.types(`systemctl stop steward; for file in /var/lib/steward/events/*.jsonl; do sed -i '$d' $file; done
journalctl --namespace=steward --rotate --vacuum-size=1; systemctl start steward`);
  await guest.stewardAnswers();
  await guest.types(check, { status: 1, what: "a record that root cut short on the device does not" });
}

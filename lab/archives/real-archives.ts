import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";

/** An archive as a real tool makes it of a folder `t`, which has the file base.conf. */
export interface RealArchive {
  readonly name: string;
  /** Shell (bash), run beside `t`; it makes x.tar.gz. */
  readonly script: string;
  /** The sentence of devices against it; null: they take it. */
  readonly refusal: RegExp | null;
  /** The remark of `add`; none if not given. */
  readonly remark?: RegExp;
}

const pack = "tar -czf x.tar.gz -C t .";

const taken = (name: string, script: string, remark?: RegExp): RealArchive => {
  return { name, script, refusal: null, ...(remark && { remark }) };
};
const refused = (name: string, script: string, refusal: RegExp): RealArchive => ({ name, script, refusal });

const links: readonly RealArchive[] = [
  taken("hard links by GNU tar", `ln t/base.conf t/alias.conf; ${pack}`),
  taken("hard links by bsdtar", "ln t/base.conf t/alias.conf; bsdtar -czf x.tar.gz -C t ."),
  taken("hard links by busybox", "ln t/base.conf t/alias.conf; busybox tar -czf x.tar.gz -C t ."),
  taken(
    "hard links by Python",
    `ln t/base.conf t/alias.conf; python3 -c 'import tarfile; a = tarfile.open("x.tar.gz", "w:gz"); a.add("t", "."); a.close()'`,
  ),
  taken("hard links with a pax header", `ln t/base.conf t/alias.conf; tar --format=pax -czf x.tar.gz -C t .`),
  taken(
    "a hard link with a name of 200 bytes",
    `n=$(printf 'n%.0s' {1..200}); ln t/base.conf t/$n; ln t/base.conf t/o; ${pack}`,
  ),
  refused(
    "a hard link whose file was left out",
    "ln t/base.conf t/a.conf; tar -cf x.tar -C t ./a.conf ./base.conf; tar --delete -f x.tar ./a.conf; gzip x.tar",
    /"base\.conf" is a hard link to no earlier file/,
  ),
  taken("a hard link to a program", `chmod 755 t/base.conf; ln t/base.conf t/alias; ${pack}`),
  refused(
    "the python3 of a venv",
    `ln -s /usr/bin/python3 t/python3; ${pack}`,
    /"\.\/python3" is a link to an absolute name/,
  ),
  refused("a link out", `ln -s ../../etc t/etc; ${pack}`, /"etc" is a link that leads out/),
  refused("a link in a circle", `ln -s a t/b; ln -s b t/a; ${pack}`, /is a link that leads in a circle/),
  taken("a link inside", `mkdir t/d; ln -s ../base.conf t/d/link; ${pack}`),
  refused(
    "a name with ..",
    "mkdir t/d; (cd t/d; tar -czPf ../../x.tar.gz ../base.conf)",
    /has "\.\." in its name/,
  ),
  refused("an absolute name", "tar -czPf x.tar.gz $PWD/t", /is an absolute name/),
];

const hole = "truncate -s 5M t/db.img; echo end >> t/db.img";
const holes = `rm t/base.conf; for i in $(seq 0 40); do echo $i | dd of=t/db.img bs=1 seek=$((i * 262144)) conv=notrunc status=none; done`;

const sparse: readonly RealArchive[] = [
  taken("a hole by tar -S", `${hole}; tar -Sczf x.tar.gz -C t .`),
  taken("a hole by bsdtar", `${hole}; bsdtar -czf x.tar.gz -C t .`),
  taken("a hole by tar -S --format=pax", `${hole}; tar --format=pax -Sczf x.tar.gz -C t .`),
  taken("41 holes by tar -S, in a continued header", `${holes}; tar -Sczf x.tar.gz -C t .`),
  taken("41 holes by bsdtar", `${holes}; bsdtar -czf x.tar.gz -C t .`),
  taken("41 holes by tar -S --format=pax", `${holes}; tar --format=pax -Sczf x.tar.gz -C t .`),
  taken("a file that is one hole", "truncate -s 3M t/empty.img; tar -Sczf x.tar.gz -C t ."),
  taken("a file that is one hole, by bsdtar", "truncate -s 3M t/empty.img; bsdtar -czf x.tar.gz -C t ."),
  taken(
    "a hole with a long name",
    `${hole}; mv t/db.img t/$(printf 'n%.0s' {1..180}); tar -Sczf x.tar.gz -C t .`,
  ),
  taken(
    "40 MB of zeros as holes",
    "head -c 40M /dev/zero > t/blank; fallocate --dig-holes t/blank; tar -Sczf x.tar.gz -C t .",
  ),
  refused("a hole of 5 GB", "truncate -s 5G t/db.img; tar -Sczf x.tar.gz -C t .", /it holds more than 4 GiB/),
  refused(
    "a hole in the form of 1999",
    `${hole}; tar --format=pax --sparse-version=0.1 -Sczf x.tar.gz -C t .`,
    /has holes in another form/,
  ),
  refused(
    "40 MB of zeros",
    `head -c 40M /dev/zero > t/blank.img; ${pack}`,
    /it grows to more than 100 times its size/,
  ),
];

const modes: readonly RealArchive[] = [
  taken(
    "a setgid directory",
    `mkdir t/d; chmod 2775 t/d; ${pack}`,
    /^"d": its setgid or sticky bit is left out/,
  ),
  taken(
    "a sticky directory",
    `mkdir t/tmp; chmod 1777 t/tmp; ${pack}`,
    /^"tmp": its setgid or sticky bit is left out/,
  ),
  refused(
    "a setuid program",
    `cp /bin/true t/su; chmod 4755 t/su; ${pack}`,
    /"\.\/su" would run with other rights/,
  ),
  refused("a setgid program", `cp /bin/true t/su; chmod 2755 t/su; ${pack}`, /would run with other rights/),
  taken("a private file", `chmod 600 t/base.conf; ${pack}`, /^"base\.conf": not for everyone to read/),
  taken("a private directory", `mkdir t/d; chmod 700 t/d; ${pack}`, /^"d": not for everyone to read/),
  taken("a file for the group to write", `chmod 664 t/base.conf; ${pack}`),
  taken(
    "a program without its x bit",
    `cp /bin/true t/run; chmod 644 t/run; ${pack}`,
    /^"run": looks like a program/,
  ),
  taken(
    "a script without its x bit",
    `printf '#!/bin/sh\\n' > t/run.sh; ${pack}`,
    /^"run\.sh": looks like a program/,
  ),
  taken(
    "a library and a module, which need none",
    `cp /lib/x86_64-linux-gnu/libz.so.1 t/libz.so.1 2>/dev/null || cp "$(ldconfig -p | sed -n 's/.*=> //p' | head -1)" t/libz.so.1; chmod 644 t/libz.so.1; printf '#!/usr/bin/python3\\n' > t/m.py; ${pack}`,
  ),
  taken(
    "a program with capabilities",
    `python3 - <<'END'
import io, tarfile
with tarfile.open("x.tar.gz", "w:gz", format=tarfile.PAX_FORMAT) as archive:
    entry = tarfile.TarInfo("./ping")
    entry.mode = 0o755
    entry.pax_headers = {"SCHILY.xattr.security.capability": "x"}
    archive.addfile(entry, io.BytesIO(b""))
    archive.add("t/base.conf", "./base.conf")
END`,
    /^"ping": its capabilities are left out/,
  ),
];

const names: readonly RealArchive[] = [
  taken("a unit with an escaped name", `mkdir t/units; echo u > 't/units/mnt-my\\x2ddisk.mount'; ${pack}`),
  taken("./././base.conf", "tar -czf x.tar.gz --transform='s,^,././,' -C t ./base.conf"),
  taken(
    "two slashes",
    "tar -czf x.tar.gz --transform='s,^\\./,d//,' -C t ./base.conf",
    /^"d": all is in this folder/,
  ),
  refused("a name in Latin-1 by GNU tar", `touch "t/$(printf 'caf\\351.conf')"; ${pack}`, /broken UTF-8/),
  refused(
    "a name in Latin-1 by bsdtar",
    `touch "t/$(printf 'caf\\351.conf')"; LC_ALL=C.UTF-8 bsdtar -czf x.tar.gz -C t .`,
    /broken UTF-8/,
  ),
  refused("a name with a line feed", `touch "t/$(printf 'a\\nb')"; ${pack}`, /control characters/),
  taken(
    "names in UTF-8, by four formats of bsdtar",
    `touch t/größe; for f in pax gnutar ustar paxr; do bsdtar --format=$f -czf x.tar.gz -C t . || exit; done`,
  ),
  taken("long names", `n=$(printf 'n%.0s' {1..250}); mkdir t/$n; touch t/$n/$n; ${pack}`),
  taken("a top folder", `mv t pump-1.0; tar -czf x.tar.gz pump-1.0`, /^"pump-1\.0": all is in this folder/),
  taken("lib at the top", `mkdir t/lib; mv t/base.conf t/lib; ${pack}`),
  taken(
    "files of macOS",
    `printf '\\0\\5\\26\\7\\0\\2\\0\\0Mac OS X        ' > t/._base.conf; touch t/.DS_Store; mkdir t/__MACOSX; ${pack}`,
    /^("[._A-Za-z]+", ){2}"[._A-Za-z]+": left behind by another system/,
  ),
  taken("Thumbs.db of Windows", `touch t/Thumbs.db; ${pack}`, /^"Thumbs\.db": left behind/),
  refused(
    "a path of 70 folders",
    `d=t/$(printf 'd/%.0s' {1..70}); mkdir -p $d; touch $d/x; ${pack}`,
    /has more than 64 components/,
  ),
];

const forms: readonly RealArchive[] = [
  taken("a label (tar -V)", 'tar -czf x.tar.gz -V "pump 1.0" -C t .'),
  taken("a label with pax", 'tar --format=pax -czf x.tar.gz -V "pump 1.0" -C t .'),
  refused(
    "an incremental backup (tar -g)",
    "tar -czf x.tar.gz -g snapshot -C t .",
    /is part of an incremental backup/,
  ),
  refused(
    "an incremental backup with pax",
    "tar --format=pax -czf x.tar.gz -g snapshot -C t .",
    /is part of an incremental backup/,
  ),
  refused(
    "a second volume (tar -M)",
    "head -c 30K /dev/urandom > t/big; printf 'n b.tar\\nn c.tar\\nn d.tar\\nn e.tar\\n' | tar -cM -L 15 -f a.tar -C t . >/dev/null || true; gzip -c b.tar > x.tar.gz",
    /continues a file of another volume|impossible size|truncated/,
  ),
  refused(
    "tar -u of a changed file",
    "tar -cf x.tar -C t .; touch -d '+1 hour' t/base.conf; tar -uf x.tar -C t ./base.conf; gzip x.tar",
    /"base\.conf" appears twice/,
  ),
  taken("tar -u of what has not changed", "tar -cf x.tar -C t .; tar -uf x.tar -C t ./base.conf; gzip x.tar"),
  taken(
    "tar -A of two folders",
    "mkdir u; touch u/more; tar -cf x.tar -C t .; tar -cf u.tar -C u .; tar -Af x.tar u.tar; gzip x.tar",
  ),
  refused(
    "two tars by cat",
    "mkdir u; touch u/more; tar -cf a.tar -C t .; tar -cf b.tar -C u .; cat a.tar b.tar | gzip > x.tar.gz",
    /continues after the end of its archive/,
  ),
  refused(
    "two .tar.gz by cat",
    "tar -czf a.gz -C t .; tar -czf b.gz -C t .; cat a.gz b.gz > x.tar.gz",
    /continues after the end of its archive/,
  ),
  taken("zeros after gzip", `${pack}; head -c 512 /dev/zero >> x.tar.gz`),
  taken("200 KB of zeros after gzip", `${pack}; head -c 200000 /dev/zero >> x.tar.gz`),
  refused(
    "a signature after gzip",
    `${pack}; echo signature >> x.tar.gz`,
    /compressed data are damaged|continues after the end of its compressed data/,
  ),
  taken("a tar that is padded", "tar -cf x.tar -C t .; head -c 100000 /dev/zero >> x.tar; gzip x.tar"),
  taken(
    "gzip in two members",
    "tar -cf m.tar -C t .; (head -c 4096 m.tar | gzip; tail -c +4097 m.tar | gzip) > x.tar.gz",
  ),
  taken("pigz", "tar -C t -c . | pigz -p 2 > x.tar.gz"),
  taken("gzip with a name, a comment and the best packing", "tar -cf x.tar -C t .; gzip -9N x.tar"),
  taken("busybox", "busybox tar -czf x.tar.gz -C t ."),
  taken("tar of 1979 (v7)", "tar --format=v7 -czf x.tar.gz -C t ."),
  taken(
    "ustar, oldgnu, gnu, pax",
    "for f in ustar oldgnu gnu pax; do tar --format=$f -czf x.tar.gz -C t . || exit; done",
  ),
  taken(
    "git archive",
    "cd t; git init -q; git add .; git -c user.name=a -c user.email=a commit -qm a; git archive -o ../x.tar.gz HEAD",
  ),
  taken(
    "Python's tarfile",
    `python3 -c 'import tarfile; a = tarfile.open("x.tar.gz", "w:gz"); a.add("t", "."); a.close()'`,
  ),
  taken("an archive of nothing", "tar -czf x.tar.gz -T /dev/null", /^The archive is empty/),
  refused(
    "gzip in gzip",
    `${pack}; gzip -c x.tar.gz > y; mv y x.tar.gz`,
    /packed twice: there is a file of gzip/,
  ),
  refused(
    "xz in gzip",
    "tar -cf x.tar -C t .; xz -c x.tar | gzip > x.tar.gz",
    /packed twice: there is a file of xz/,
  ),
  refused(
    "zstd's name",
    "tar -cf x.tar -C t .; printf '\\x28\\xb5\\x2f\\xfd' > x.tar.gz; cat x.tar >> x.tar.gz",
    /is packed by zstd, not by gzip/,
  ),
  refused("xz", "tar -cJf x.tar.gz -C t .", /is packed by xz, not by gzip/),
  refused(
    "bzip2",
    'tar -cf x.tar -C t .; python3 -c \'import bz2; open("x.tar.gz", "wb").write(bz2.compress(open("x.tar", "rb").read()))\'',
    /is packed by bzip2, not by gzip/,
  ),
  refused("zip", "python3 -m zipfile -c x.tar.gz t", /is packed by zip, not by gzip/),
  refused("a tar without gzip", "tar -cf x.tar.gz -C t .", /is not compressed by gzip/),
  refused("a .gz that is no tar", "gzip -c t/base.conf > x.tar.gz", /has no tar in it/),
  refused("a .gz of a long text", "seq 1 9999 | gzip > x.tar.gz", /has no tar in it/),
  refused("a .gz of nothing", "gzip -c /dev/null > x.tar.gz", /has no tar in it/),
  refused(
    "a .tar.gz that is cut off",
    `head -c 20000 /dev/urandom > t/big; ${pack}; head -c 9000 x.tar.gz > y; mv y x.tar.gz`,
    /compressed data are damaged/,
  ),
  refused(
    "a tar that is cut off",
    "head -c 20000 /dev/urandom > t/big; tar -cf x.tar -C t .; head -c 9000 x.tar | gzip > x.tar.gz",
    /is truncated/,
  ),
  refused("a fifo", `mkfifo t/fifo; ${pack}`, /"\.\/fifo" is a fifo/),
  refused(
    "a device",
    "(cd t && python3 - <<'END'\nimport tarfile\ne = tarfile.TarInfo('./null'); e.type = tarfile.CHRTYPE\nwith tarfile.open('../x.tar.gz', 'w:gz') as a: a.addfile(e)\nEND\n)",
    /"\.\/null" is a device/,
  ),
  refused(
    "70,000 files",
    "(cd t && seq 70000 | xargs touch); tar -czf x.tar.gz -C t .",
    /it has more than 65536 entries/,
  ),
  taken(
    "attributes of files",
    `python3 - <<'END'
import tarfile
with tarfile.open("x.tar.gz", "w:gz", format=tarfile.PAX_FORMAT) as archive:
    entry = archive.gettarinfo("t/base.conf", "./base.conf")
    entry.pax_headers = {"SCHILY.xattr.user.note": "n" * 70000, "LIBARCHIVE.creationtime": "1.5"}
    archive.addfile(entry, open("t/base.conf", "rb"))
END`,
  ),
];

export const realArchives: readonly RealArchive[] = [...links, ...sparse, ...modes, ...names, ...forms];

/** Makes it in an empty directory; gives its path. */
export function makeRealArchive(directory: string, { script }: RealArchive): string {
  mkdirSync(join(directory, "t"), { recursive: true });
  const whole = `umask 022; set -e -o pipefail; chmod 755 t; echo flow > t/base.conf; ${script}`;
  execFileSync("bash", ["-c", whole], { cwd: directory, stdio: ["ignore", "ignore", "pipe"] });
  return join(directory, "x.tar.gz");
}

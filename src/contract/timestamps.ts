const form =
  /^(\d{4})-(\d\d)-(\d\d)T([01]\d|2[0-3]):([0-5]\d):([0-5]\d)(\.\d{1,9})?(?:Z|([+-])([01]\d|2[0-3]):([0-5]\d))$/i;

/** Reads RFC 3339 §5.6 with an offset; null for what else `Date` takes: no such day, offset or seconds. No leap second. */
export function readRfc3339(text: string): Date | null {
  const [, year, month, day, hour, minute, second, fraction = "", sign, hours, minutes] =
    form.exec(text) ?? [];
  if (year === undefined) return null;
  const local = new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  // Date makes 2 March of 30 February.
  if (Number.isNaN(local.getTime()) || local.getUTCDate() !== Number(day)) return null;
  const offsetMinutes = sign === undefined ? 0 : Number(`${sign}1`) * (Number(hours) * 60 + Number(minutes));
  const milliseconds = Math.floor(Number(`0${fraction}`) * 1_000);
  return new Date(local.getTime() - offsetMinutes * 60_000 + milliseconds);
}

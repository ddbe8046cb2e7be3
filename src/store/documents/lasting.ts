/** Values that are never changed in place and that many answers share, with their JSON, made at the first need. */
const texts = new WeakMap<object, string>();

/** The text of a value that was not asked for yet. */
const unmade = "";

/** Marks the value and gives it back. Its members, at any depth, must not be changed from now on. */
export function lasting<Value extends object>(value: Value): Value {
  if (!texts.has(value)) texts.set(value, unmade);
  return value;
}

/** The JSON of a lasting value; undefined: it is none. */
export function lastingText(value: object): string | undefined {
  const known = texts.get(value);
  if (known !== unmade) return known;
  const text = JSON.stringify(value);
  texts.set(value, text);
  return text;
}

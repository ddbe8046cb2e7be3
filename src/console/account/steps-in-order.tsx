import { Steps } from "../ui/steps.tsx";

/** A line of steps that are taken one after another, each with its name; the steps before the present one are done. */
export function StepsInOrder<Key extends string>({
  label,
  names,
  now,
}: {
  readonly label: string;
  readonly names: Readonly<Record<Key, string>>;
  readonly now: Key;
}) {
  const keys = Object.keys(names) as Key[];
  const at = keys.indexOf(now);
  const stateOf = (index: number) => (index < at ? "done" : index === at ? "now" : "ahead");
  return (
    <Steps
      label={label}
      steps={keys.map((key, index) => ({ key, text: names[key], state: stateOf(index) }))}
    />
  );
}

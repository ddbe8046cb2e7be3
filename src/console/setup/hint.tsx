/** The hint of a field, and the value that another administrator has saved meanwhile. */
export function Hint({ text, more }: { readonly text: string; readonly more: string | null }) {
  return (
    <>
      {text}
      {more !== null && (
        <>
          {" "}
          <strong>{more}</strong>
        </>
      )}
    </>
  );
}

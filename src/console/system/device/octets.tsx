import { Fragment } from "preact";

/** A fingerprint of octets with colons between them, which breaks only between two: people compare it by eye. */
export function Octets({ children }: { readonly children: string }) {
  return (
    <code>
      {children.split(":").map((octet, index) => (
        <Fragment key={index}>
          {index > 0 && (
            <>
              :<wbr />
            </>
          )}
          {octet}
        </Fragment>
      ))}
    </code>
  );
}

/** Tells a password manager whose password a form asks for, where nobody types the name. */
export function NameForManagers({ username }: { readonly username: string }) {
  return <input type="text" name="username" autocomplete="username" value={username} hidden readOnly />;
}

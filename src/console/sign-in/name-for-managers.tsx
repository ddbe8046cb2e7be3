/** Tells a password manager whose password a form asks for, where the name is not typed. */
export function NameForManagers({ username }: { readonly username: string }) {
  return <input type="text" name="username" autocomplete="username" value={username} hidden readOnly />;
}

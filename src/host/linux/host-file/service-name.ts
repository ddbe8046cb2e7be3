/** The name of a service in the host file: it must not look like an option or a pattern. */
export const serviceName = /^[A-Za-z0-9](?:[A-Za-z0-9:_.@-]{0,126}[A-Za-z0-9:_.-])?\.service$/;

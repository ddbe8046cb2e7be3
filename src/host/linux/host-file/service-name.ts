/** What a unit that releases are put to work in may be called: a service, and nothing that can be an option or a pattern. */
export const serviceName = /^[A-Za-z0-9](?:[A-Za-z0-9:_.@-]{0,126}[A-Za-z0-9:_.-])?\.service$/;

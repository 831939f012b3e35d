const LOOPBACK = ['localhost', '127.0.0.1', '[::1]']

/** Returns true for an https URL, and for an http URL on this machine, which development needs. */
export function isSecureUrl({ protocol, hostname }: URL): boolean {
  return protocol === 'https:' || (protocol === 'http:' && LOOPBACK.includes(hostname))
}

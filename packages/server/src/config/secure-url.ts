/** Host names of this machine in URLs. */
export const LOOPBACK_HOSTS = ['localhost', '127.0.0.1', '[::1]']

/** Returns true for an https URL, and for an http URL on this machine, which development needs. */
export function isSecureUrl({ protocol, hostname }: URL): boolean {
  return protocol === 'https:' || (protocol === 'http:' && LOOPBACK_HOSTS.includes(hostname))
}

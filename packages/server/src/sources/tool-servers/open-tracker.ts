import { openSafeFetch } from '../../base/safe-fetch.ts'
import type { Config } from '../../config/config.ts'
import { type Tracker, toolFetch } from './tool-port.ts'

/**
 * The issue tracker's tool server with a network of its own, which `close` ends. Whoever runs the service may say that
 * it is on this machine; nobody else can have it called elsewhere.
 */
export function openTracker({ trackerUrl: url, allowLoopback }: Config): Tracker & { close(): Promise<void> } {
  const isHere = ['localhost', '127.0.0.1', '[::1]'].includes(new URL(url).hostname)
  const network = openSafeFetch({ allowLoopback: allowLoopback || isHere })
  return { url, fetch: toolFetch(network), close: () => network.close() }
}

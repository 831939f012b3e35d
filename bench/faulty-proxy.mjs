// A TCP proxy that injects faults: it delays bytes, cuts connections, half-closes them, or silently drops traffic until
// the fault is ended.
import { connect, createServer } from 'node:net'

/** Faults that a proxy can inject. */
export const FAULTS = /** @type {const} */ (['delay', 'cut', 'half-close', 'silence'])
/** @typedef {typeof FAULTS[number]} Fault */

/** Milliseconds by which bytes are delayed. */
const DELAY_MS = 200

/**
 * Listens on a free local port and forwards to a port or a Unix socket.
 * @param {import('node:net').NetConnectOpts} target
 */
export async function startFaultyProxy(target) {
  /** @type {Fault | undefined} */
  let fault
  /** @type {Set<import('node:net').Socket>} */
  const open = new Set()

  /** Forwards bytes in order. */
  const pass = (/** @type {import('node:net').Socket} */ from, /** @type {import('node:net').Socket} */ to) => {
    from.on('data', (bytes) => {
      if (fault === 'silence') return from.pause()
      if (fault !== 'delay') return void to.write(bytes)
      from.pause()
      setTimeout(() => {
        to.write(bytes)
        from.resume()
      }, DELAY_MS)
    })
    from.once('end', () => to.end())
    from.once('error', () => to.destroy())
    from.once('close', () => {
      open.delete(from)
      to.destroy()
    })
    open.add(from)
  }

  const server = createServer({ allowHalfOpen: true }, (incoming) => {
    if (fault === 'cut') return incoming.destroy()
    const onward = connect({ ...target, allowHalfOpen: true })
    pass(incoming, onward)
    pass(onward, incoming)
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)))
  const address = server.address()
  return {
    port: typeof address === 'object' ? (address?.port ?? 0) : 0,
    /** Starts a fault, or ends the current one. */
    set(/** @type {Fault | undefined} */ next) {
      if (next === 'cut') for (const socket of open) socket.destroy()
      if (next === 'half-close') for (const socket of open) socket.end()
      // Connections that were silent lose their held bytes and are destroyed, as by a network device that lost its
      // state.
      if (fault === 'silence' && next !== 'silence') for (const socket of open) socket.destroy()
      fault = next
    },
    close() {
      for (const socket of open) socket.destroy()
      server.close()
    },
  }
}

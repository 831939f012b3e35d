// A TCP proxy that treats connections badly: it holds bytes back, cuts connections, ends one half of them, or lets
// nothing through, for as long as it is told.
import { connect, createServer } from 'node:net'

/** What a proxy can do to its connections. */
export const FAULTS = /** @type {const} */ (['delay', 'cut', 'half-close', 'silence'])
/** @typedef {typeof FAULTS[number]} Fault */

/** How long bytes are held back. */
const DELAY_MS = 200

/**
 * Listens on a free port of this machine and passes on to what listens at a port or at the path of a socket.
 * @param {import('node:net').NetConnectOpts} target
 */
export async function startFaultyProxy(target) {
  /** @type {Fault | undefined} */
  let fault
  /** @type {Set<import('node:net').Socket>} */
  const open = new Set()

  /** Passes bytes on in their order. */
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
    /** Begins a fault, or ends the one that is. */
    set(/** @type {Fault | undefined} */ next) {
      if (next === 'cut') for (const socket of open) socket.destroy()
      if (next === 'half-close') for (const socket of open) socket.end()
      // What was held back while nothing came through is lost with its connection, as by a switch that forgets.
      if (fault === 'silence' && next !== 'silence') for (const socket of open) socket.destroy()
      fault = next
    },
    close() {
      for (const socket of open) socket.destroy()
      server.close()
    },
  }
}

import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'

/** A subscription, active until it is stopped. */
export interface Subscription {
  stop(): Promise<void>
}

/** Milliseconds before a broken connection is reopened, and of silence before the server is probed. */
const RECONNECT_MS = 1_000
const ALIVE_MS = 30_000
const CONNECT_MS_MAX = 5_000

/**
 * Subscribes to a channel on a separate connection. A pooler would share that connection between transactions, so
 * nothing is received through one. A pooler is detected by a backend process id that differs from the one at connect.
 */
export function listenOn(url: string, channel: string, onPayload: (payload: string) => void): Subscription {
  const stopping = new AbortController()
  let client: Client | undefined

  const listenOnce = async (): Promise<'pooled' | 'broken'> => {
    const opened = new Client({ connectionString: url, connectionTimeoutMillis: CONNECT_MS_MAX, keepAlive: true })
    client = opened
    const broken = new Promise<void>((resolve) => {
      opened.on('error', () => resolve())
      opened.on('end', () => resolve())
    })
    try {
      await opened.connect()
      if (await isPooled(opened)) return 'pooled'
      opened.on('notification', ({ payload }) => onPayload(payload ?? ''))
      await opened.query(`listen ${opened.escapeIdentifier(channel)}`)
      while (!stopping.signal.aborted) {
        const pause = new AbortController()
        const silent = sleep(ALIVE_MS, 'silent', { signal: pause.signal }).catch(() => undefined)
        const ended = await Promise.race([broken, silent])
        pause.abort()
        if (ended === undefined) return 'broken'
        await opened.query('select')
      }
      return 'broken'
    } finally {
      await opened.end().catch(() => undefined)
    }
  }

  const work = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      const how = await listenOnce().catch(() => 'broken')
      if (how === 'pooled') return
      await sleep(RECONNECT_MS, undefined, { signal: stopping.signal }).catch(() => undefined)
    }
  }

  const working = work()
  return {
    stop: async () => {
      stopping.abort()
      await client?.end().catch(() => undefined)
      await working
    },
  }
}

/** Returns true if there is a pooler. It reports another process id than the server behind it. */
async function isPooled(client: Client): Promise<boolean> {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
  return rows[0]?.pid !== (client as unknown as { processID: number }).processID
}

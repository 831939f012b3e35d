import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'

/** A subscription, active until it is stopped. */
export interface Subscription {
  stop(): Promise<void>
}

/** Milliseconds until a broken connection is reopened, and without notifications until it is tested. */
const RECONNECT_MS = 1_000
const ALIVE_MS = 30_000
const CONNECT_MS_MAX = 5_000

/**
 * Subscribes to a channel on a separate connection and reconnects after failures. Ends without an error if the URL
 * leads to a transaction pooler, because a pooler does not forward notifications.
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
      const outcome = await listenOnce().catch(() => 'broken')
      if (outcome === 'pooled') return
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

/** Returns true behind a pooler: the process id that it sent at connect is not that of the server process. */
async function isPooled(client: Client): Promise<boolean> {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
  return rows[0]?.pid !== (client as unknown as { processID: number }).processID
}

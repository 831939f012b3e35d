import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'

/** Hears notifications until it is stopped. */
export interface Listening {
  stop(): Promise<void>
}

/** A connection that broke is opened again after so long; for so long it is silent before the server is asked. */
const AGAIN_MS = 1_000
const ALIVE_MS = 30_000
const CONNECT_MS_MAX = 5_000

/**
 * Hears what is notified on a channel, by a connection of its own. A pooler would give that to others between two
 * transactions, so through one nothing is heard: it names no process of the server as the one that serves.
 */
export function listenOn(url: string, channel: string, hear: (payload: string) => void): Listening {
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
      opened.on('notification', ({ payload }) => hear(payload ?? ''))
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
      await sleep(AGAIN_MS, undefined, { signal: stopping.signal }).catch(() => undefined)
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

/** A server says at the start of a connection which of its processes serves it, and a pooler says anything else. */
async function isPooled(client: Client): Promise<boolean> {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
  return rows[0]?.pid !== (client as unknown as { processID: number }).processID
}

import type { Log } from '../base/log.ts'
import type { Sql } from './open.ts'

/** Topics of the notifications between processes. Notifications only save polling: the database has the truth. */
const TOPICS = ['work', 'done', 'nodes'] as const
type Topic = (typeof TOPICS)[number]

/** Publish/subscribe between the processes that share a database. Lost notifications are compensated by polling. */
export interface Announcements {
  /** Publishes to the other processes, batched with other pending notifications. */
  tell(topic: Topic, text: string): void
  /** Subscribes `hear` to the notifications of other processes. */
  on(topic: Topic, hear: (text: string) => void): void
  /** Stops publishing and listening. */
  stop(): Promise<void>
}

const CHANNEL = 'cairn'
/** PostgreSQL limits a notification to less than 8,000 bytes. */
const TEXT_CHARS_MAX = 1_500
const PAYLOAD_CHARS_MAX = 1_800
/** Maximum number of pending notifications while the database does not respond. Further ones are dropped. */
const WAITING_MAX = 1_000

interface Announcement {
  topic: Topic
  text: string
}

/**
 * Opens the notifications on a separate connection, which reconnects if it breaks. Nothing is received through a
 * pooler, or on PGlite.
 */
export function openAnnouncements(sql: Sql, ownerId: string, log: Log): Announcements {
  const hearers = new Map<Topic, ((text: string) => void)[]>()
  const listening = sql.listen(CHANNEL, (payload) => {
    for (const { topic, text } of read(payload, ownerId)) for (const hear of hearers.get(topic) ?? []) hear(text)
  })
  const waiting = new Set<string>()
  let telling: Promise<void> | undefined

  const flush = async (): Promise<void> => {
    while (waiting.size > 0) {
      const payload = [ownerId]
      let chars = ownerId.length
      for (const line of waiting) {
        if (payload.length > 1 && chars + line.length > PAYLOAD_CHARS_MAX) break
        waiting.delete(line)
        payload.push(line)
        chars += line.length + 1
      }
      await sql.tell(CHANNEL, payload.join('\n'))
    }
  }

  return {
    tell: (topic, text) => {
      if (sql.kind === 'pglite' || text.length > TEXT_CHARS_MAX || waiting.size >= WAITING_MAX) return
      waiting.add(JSON.stringify([topic, text]))
      telling ??= Promise.resolve()
        .then(flush)
        .catch((error: unknown) => {
          waiting.clear()
          log.warn('other processes could not be notified of work', { error })
        })
        .finally(() => {
          telling = undefined
        })
    },
    on: (topic, hear) => void hearers.set(topic, [...(hearers.get(topic) ?? []), hear]),
    stop: async () => {
      await telling
      await listening.stop()
    },
  }
}

/** Parses a notification. Its content is untrusted: any database connection can send one. */
function read(payload: string, ownerId: string): Announcement[] {
  const [teller, ...lines] = payload.split('\n')
  return teller === ownerId ? [] : lines.flatMap((line) => toTold(line) ?? [])
}

function toTold(line: string): Announcement | undefined {
  try {
    const told: unknown = JSON.parse(line)
    if (!Array.isArray(told)) return undefined
    const [name, text] = told as unknown[]
    const topic = TOPICS.find((each) => each === name)
    return topic && typeof text === 'string' ? { topic, text } : undefined
  } catch {
    return undefined
  }
}

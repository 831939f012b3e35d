import type { Log } from '../base/log.ts'
import { parseJson } from '../base/parse-json.ts'
import type { Sql } from './open.ts'

/** Topics of the notifications. A notification only makes a process read the database before its next poll. */
const TOPICS = ['work', 'done', 'nodes'] as const
type Topic = (typeof TOPICS)[number]

/** Publish/subscribe between the processes that share a database. Lost notifications are compensated by polling. */
export interface Notifications {
  /** Publishes to the other processes, batched with other pending notifications. */
  publish(topic: Topic, text: string): void
  /** Subscribes `handler` to the notifications of other processes. */
  subscribe(topic: Topic, handler: (text: string) => void): void
  /** Stops publishing and listening. */
  stop(): Promise<void>
}

const CHANNEL = 'cairn'
/** Limits in characters. PostgreSQL limits a payload to less than 8,000 bytes. */
const TEXT_CHARS_MAX = 1_500
const PAYLOAD_CHARS_MAX = 1_800
/** Maximum number of pending notifications while the database does not respond. Further ones are dropped. */
const WAITING_MAX = 1_000

interface Notification {
  topic: Topic
  text: string
}

/** Opens notifications on a separate connection. None arrive through a pooler or on PGlite. */
export function openNotifications(sql: Sql, ownerId: string, log: Log): Notifications {
  const subscribers = new Map<Topic, ((text: string) => void)[]>()
  const subscription = sql.listen(CHANNEL, (payload) => {
    for (const { topic, text } of read(payload, ownerId))
      for (const handler of subscribers.get(topic) ?? []) handler(text)
  })
  const waiting = new Set<string>()
  let publishing: Promise<void> | undefined

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
      await sql.notify(CHANNEL, payload.join('\n'))
    }
  }

  return {
    publish: (topic, text) => {
      if (sql.kind === 'pglite' || text.length > TEXT_CHARS_MAX || waiting.size >= WAITING_MAX) return
      waiting.add(JSON.stringify([topic, text]))
      publishing ??= Promise.resolve()
        .then(flush)
        .catch((error: unknown) => {
          waiting.clear()
          log.warn('other processes could not be notified of work', { error })
        })
        .finally(() => {
          publishing = undefined
        })
    },
    subscribe: (topic, handler) => void subscribers.set(topic, [...(subscribers.get(topic) ?? []), handler]),
    stop: async () => {
      await publishing
      await subscription.stop()
    },
  }
}

/** Parses a payload and skips this process's own. The content is untrusted: any database client can send it. */
function read(payload: string, ownerId: string): Notification[] {
  const [senderId, ...lines] = payload.split('\n')
  return senderId === ownerId ? [] : lines.flatMap((line) => parseNotification(line) ?? [])
}

function parseNotification(line: string): Notification | undefined {
  const parsed = parseJson(line)
  if (!Array.isArray(parsed)) return undefined
  const [name, text] = parsed as unknown[]
  const topic = TOPICS.find((each) => each === name)
  return topic && typeof text === 'string' ? { topic, text } : undefined
}

import type { Log } from '../base/log.ts'
import type { Sql } from './open.ts'

/** What processes tell each other, so that nobody has to look for it: each is true without having been told. */
const TOPICS = ['work', 'done', 'nodes'] as const
type Topic = (typeof TOPICS)[number]

/** What the processes that share a database tell each other. What is not heard is found by looking, a little later. */
export interface Announcements {
  /** Tells the other processes; at once, and together with what else there is to tell. */
  tell(topic: Topic, text: string): void
  /** Calls `hear` with what another process tells. */
  on(topic: Topic, hear: (text: string) => void): void
  /** Tells and hears no more. */
  stop(): Promise<void>
}

const CHANNEL = 'cairn'
/** PostgreSQL takes notifications of less than 8 000 bytes. */
const TEXT_CHARS_MAX = 1_500
const PAYLOAD_CHARS_MAX = 1_800
/** What waits to be told while the database does not answer; what there is no room for is found by looking. */
const WAITING_MAX = 1_000

interface Announcement {
  topic: Topic
  text: string
}

/**
 * Opens the hearing of announcements, by a connection of its own that is opened again when it breaks. Where there is
 * only a pooler, or the database has one process, nothing is heard.
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
          log.warn('other processes were not told of work', { error })
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

/** What a notification tells, none of which is believed: anybody with a connection may send one. */
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

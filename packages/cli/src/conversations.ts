import { readFileSync } from 'node:fs'
import { type ChatMessage, HISTORY_TURNS } from '@cairnstore/contract'
import { note, usageFailure } from './output.ts'
import { writeOwn } from './profiles.ts'
import { conversationsPath, type Settings } from './settings.ts'

/** A conversation that can be continued. */
export interface Conversation {
  /** Turns, oldest first. Only the latest ones that fit a history are kept. */
  readonly turns: readonly ChatMessage[]
  add(question: string, answer: string): void
}

interface StoredConversation {
  url: string
  /** Name of the profile or setting that the key came from. */
  key: string
  sandbox_id: string
  /** Time of the last turn, in milliseconds since 1970. */
  at: number
  turns: ChatMessage[]
}

/** Hours for which a conversation can be continued. */
export const STORED_HOURS = 12
const HOUR_MS = 3_600_000
/** Maximum number of stored conversations, and of characters in one. Twenty turns need far less. */
const CONVERSATIONS_MAX = 20
const CHARS_MAX = 65_536

interface ConversationStart {
  /** True to continue the last conversation of this profile and sandbox. */
  isContinued: boolean
  /** Earlier turns that the caller provides. */
  given?: readonly ChatMessage[] | undefined
}

/**
 * Starts a conversation in a sandbox, or continues the last one there. Turns are stored for STORED_HOURS in a file that
 * only this user can read. With a customer-managed key nothing is stored, and continuing throws a usage Failure.
 */
export function openConversation(
  settings: Settings,
  sandboxId: string,
  { isContinued, given }: ConversationStart,
): Conversation {
  const isSecret = settings.encryptionKey !== undefined
  if (isContinued && given)
    throw usageFailure('--continue and --history both set the earlier turns. Use only one of them.')
  if (isContinued && isSecret) {
    throw usageFailure(
      'With CAIRN_ENCRYPTION_KEY, conversations are not stored, so --continue is not possible. Use `cairn chat`.',
    )
  }
  const path = conversationsPath()
  const isHere = (stored: StoredConversation) =>
    stored.url === settings.url && stored.key === settings.keyName && stored.sandbox_id === sandboxId
  const last = isContinued ? readConversations(path).find(isHere)?.turns : undefined
  if (isContinued && !last)
    note(settings, `There is no conversation of the last ${STORED_HOURS} hours to continue. A new one starts.`)
  let turns = given ?? last ?? []
  return {
    get turns() {
      return turns
    },
    add: (question, answer) => {
      turns = latest([...turns, { role: 'user', content: question }, { role: 'assistant', content: answer }])
      if (isSecret) return
      const others = readConversations(path).filter((stored) => !isHere(stored))
      const stored = {
        url: settings.url,
        key: settings.keyName,
        sandbox_id: sandboxId,
        at: Date.now(),
        turns: [...turns],
      }
      try {
        writeOwn(path, { conversations: [stored, ...others].slice(0, CONVERSATIONS_MAX) })
      } catch (error) {
        const { code } = error as NodeJS.ErrnoException
        note(settings, `The conversation cannot be stored in ${path} (${code}), so --continue will not find it.`)
      }
    },
  }
}

/** Returns the latest turns that fit the limits on turns and characters. */
function latest(turns: readonly ChatMessage[]): ChatMessage[] {
  let chars = 0
  const from = turns.findLastIndex(({ content }, at) => {
    chars += content.length
    return chars > CHARS_MAX || turns.length - at > HISTORY_TURNS
  })
  return turns.slice(from + 1)
}

/** Returns the stored conversations that have not expired, newest first. Returns none if the file is malformed. */
function readConversations(path: string): StoredConversation[] {
  try {
    const { conversations } = JSON.parse(readFileSync(path, 'utf8')) as { conversations?: unknown }
    if (!Array.isArray(conversations)) return []
    return conversations.filter((each) => isStored(each) && Date.now() - each.at < STORED_HOURS * HOUR_MS)
  } catch {
    return []
  }
}

function isStored(value: unknown): value is StoredConversation {
  const { at, turns } = (value ?? {}) as Partial<StoredConversation>
  if (typeof at !== 'number' || !Array.isArray(turns)) return false
  return turns.every((turn) => typeof turn?.content === 'string' && typeof turn.role === 'string')
}

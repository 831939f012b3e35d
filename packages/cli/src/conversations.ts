import { readFileSync } from 'node:fs'
import { type ChatMessage, HISTORY_TURNS } from '@cairnstore/contract'
import { note, usageFailure } from './output.ts'
import { writeOwn } from './profiles.ts'
import { conversationsPath, type Settings } from './settings.ts'

/** A conversation that goes on: what was said, and what adds to it. */
export interface Talk {
  /** Oldest first, as many as are used of a history. */
  readonly turns: readonly ChatMessage[]
  add(question: string, answer: string): void
}

/** A conversation as it is kept. */
interface KeptConversation {
  url: string
  /** Where the key came from: a profile or a setting. */
  key: string
  sandbox_id: string
  /** When it was last added to, in milliseconds since 1970. */
  at: number
  turns: ChatMessage[]
}

/** How long a conversation can be gone on with. */
export const KEPT_HOURS = 12
const HOUR_MS = 3_600_000
/** Conversations that are kept, and characters of one: far more than twenty turns are. */
const CONVERSATIONS_MAX = 20
const CHARS_MAX = 65_536

/** How a conversation begins. */
interface Beginning {
  /** Whether it goes on with the last one of this profile and sandbox. */
  goesOn: boolean
  /** The turns before it, where the caller gives them. */
  given?: readonly ChatMessage[] | undefined
}

/**
 * Begins a conversation in a sandbox, or goes on with the last one there. What is said is kept in a file that this user
 * alone can read, for so many hours. Where a caller's key is set no conversation is kept, and going on with one throws
 * a usage Failure.
 */
export function openTalk(settings: Settings, sandboxId: string, { goesOn, given }: Beginning): Talk {
  const isSecret = settings.encryptionKey !== undefined
  if (goesOn && given) throw usageFailure('--continue and --history are two ways to say what was before: give one.')
  if (goesOn && isSecret) {
    throw usageFailure(
      'Nothing is kept of what is said under CAIRN_ENCRYPTION_KEY. `cairn chat` goes on while it runs.',
    )
  }
  const path = conversationsPath()
  const isHere = (kept: KeptConversation) =>
    kept.url === settings.url && kept.key === settings.keyName && kept.sandbox_id === sandboxId
  const last = goesOn ? readConversations(path).find(isHere)?.turns : undefined
  if (goesOn && !last) note(settings, `No conversation of the last ${KEPT_HOURS} hours is here: this begins one.`)
  let turns = given ?? last ?? []
  return {
    get turns() {
      return turns
    },
    add: (question, answer) => {
      turns = latest([...turns, { role: 'user', content: question }, { role: 'assistant', content: answer }])
      if (isSecret) return
      const others = readConversations(path).filter((kept) => !isHere(kept))
      const kept = {
        url: settings.url,
        key: settings.keyName,
        sandbox_id: sandboxId,
        at: Date.now(),
        turns: [...turns],
      }
      try {
        writeOwn(path, { conversations: [kept, ...others].slice(0, CONVERSATIONS_MAX) })
      } catch (error) {
        const { code } = error as NodeJS.ErrnoException
        note(settings, `The conversation cannot be kept in ${path} (${code}): --continue will not find it.`)
      }
    },
  }
}

/** The last turns, as many as are used and no more than may be kept. */
function latest(turns: readonly ChatMessage[]): ChatMessage[] {
  let chars = 0
  const from = turns.findLastIndex(({ content }, at) => {
    chars += content.length
    return chars > CHARS_MAX || turns.length - at > HISTORY_TURNS
  })
  return turns.slice(from + 1)
}

/** What is kept and not too old, the newest first; nothing of a file that holds something else. */
function readConversations(path: string): KeptConversation[] {
  try {
    const { conversations } = JSON.parse(readFileSync(path, 'utf8')) as { conversations?: unknown }
    if (!Array.isArray(conversations)) return []
    return conversations.filter((each) => isKept(each) && Date.now() - each.at < KEPT_HOURS * HOUR_MS)
  } catch {
    return []
  }
}

function isKept(value: unknown): value is KeptConversation {
  const { at, turns } = (value ?? {}) as Partial<KeptConversation>
  if (typeof at !== 'number' || !Array.isArray(turns)) return false
  return turns.every((turn) => typeof turn?.content === 'string' && typeof turn.role === 'string')
}

import type { Cairn, ChatMessage, SearchAnswer } from '@cairnstore/client'
import { useSyncExternalStore } from 'react'
import { onLeaving } from '../app/session.ts'

/** Search options in addition to the question. */
export interface SearchOptions {
  reference_date?: string
  project_id?: string
  preset?: 'fast' | 'auto' | 'discover' | 'sql'
}

/** One question with its answer or error. */
export interface QuestionTurn {
  id: number
  question: string
  manner: SearchOptions
  /** Earlier messages that were sent with the question. */
  history: readonly ChatMessage[]
  /** The part of the answer that has been streamed so far. The whole answer is in `answer` at the end. */
  streamed: string
  answer?: SearchAnswer
  error?: unknown
}

/** Maximum number of earlier turns that are sent with a follow-up. */
const HISTORY_TURNS_MAX = 6

let turns: readonly QuestionTurn[] = []
let asking: AbortController | undefined
const listeners = new Set<() => void>()

function change(next: readonly QuestionTurn[]): void {
  turns = next
  for (const listener of listeners) listener()
}

function changeTurn(id: number, changed: Partial<QuestionTurn>): void {
  change(turns.map((turn) => (turn.id === id ? { ...turn, ...changed } : turn)))
}

/** Returns the current conversation. It is kept while other pages are shown. */
export function useConversation(): readonly QuestionTurn[] {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => turns,
  )
}

/** Ends the conversation and cancels the question in progress. */
export function forgetConversation(): void {
  asking?.abort()
  change([])
}

onLeaving(forgetConversation)

/** Asks a question with the earlier turns as context, and streams the answer into the conversation. */
export async function ask(cairn: Cairn, question: string, manner: SearchOptions): Promise<void> {
  asking?.abort()
  asking = new AbortController()
  const { signal } = asking
  const before = turns.filter(({ answer }) => answer)
  const id = (turns[turns.length - 1]?.id ?? 0) + 1
  const history = before.slice(-HISTORY_TURNS_MAX).flatMap(({ question: asked, answer }) => [
    { role: 'user' as const, content: asked },
    { role: 'assistant' as const, content: answer?.answer ?? '' },
  ])
  change([...turns.filter(({ answer, error }) => answer || error), { id, question, manner, history, streamed: '' }])
  try {
    const parameters = { ...manner, statements: true, explain: true, ...(history.length > 0 && { history }) }
    const stream = cairn.streamAsk(question, parameters, { signal })
    let text = ''
    for await (const { delta, restart } of stream) {
      text = restart ? delta : text + delta
      changeTurn(id, { streamed: text })
    }
    changeTurn(id, { answer: await stream.result() })
  } catch (error) {
    if (!signal.aborted) changeTurn(id, { error })
  }
}

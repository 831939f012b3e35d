import type { Cairn, ChatMessage, SearchAnswer, StoredAnswer } from '@cairnstore/client'
import { useSyncExternalStore } from 'react'
import { queries } from '../app/queries.ts'
import { onLeaving } from '../app/session.ts'

/** Search options in addition to the question. */
export interface SearchOptions {
  reference_date?: string
  project_id?: string
  preset?: 'fast' | 'auto' | 'discover' | 'sql'
}

/** An answer: a reply with its explanation, or a stored answer, which has no explanation. */
export type ShownAnswer = Pick<SearchAnswer, 'answer' | 'citations' | 'outcome' | 'statements' | 'written_by'> &
  Partial<Omit<SearchAnswer, 'query'>> &
  Partial<Omit<StoredAnswer, 'query' | 'settings'>>

/** One question with its answer or error. */
export interface QuestionTurn {
  question: string
  manner: SearchOptions
  /** Earlier messages that were sent with the question. */
  history: readonly ChatMessage[]
  /** The part of the answer that has been streamed so far. `answer` has the whole answer at the end. */
  streamed: string
  answer?: ShownAnswer
  error?: unknown
}

/** A question that was asked on the page of an earlier answer. */
interface ConversationTurn extends QuestionTurn {
  number: number
  base: string | undefined
}

/** Maximum number of earlier turns that are sent with a follow-up. */
const HISTORY_TURNS_MAX = 6

let asked: readonly ConversationTurn[] = []
let asking: AbortController | undefined
let askedCount = 0
const listeners = new Set<() => void>()

function change(next: readonly ConversationTurn[]): void {
  asked = next
  for (const listener of listeners) listener()
}

/** Returns the questions that were asked at an address and that the address does not contain yet. */
export function useAsked(base: string | undefined): readonly QuestionTurn[] {
  const all = useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => asked,
  )
  return all.filter((turn) => turn.base === base)
}

/** Removes the questions that were asked on this page, and cancels the one in progress. */
export function forgetAsked(): void {
  asking?.abort()
  if (asked.length > 0) change([])
}

/** Removes the questions that led to an answer. The page at the answer's address shows them now. */
export function forgetAnswered(answerId: string): void {
  const led = asked.find(({ answer }) => answer?.answer_id === answerId)
  if (led) change(asked.filter(({ base }) => base !== led.base))
}

onLeaving(forgetAsked)

/** Returns the key of the cached query of an answer. */
export function answerKey(sandboxId: string | undefined, answerId: string) {
  return [sandboxId, 'answer', answerId] as const
}

/** Returns the messages of earlier turns, as they are sent with a follow-up. */
export function historyOf(turns: readonly QuestionTurn[]): ChatMessage[] {
  const answered = turns.filter(({ answer }) => answer)
  return answered.slice(-HISTORY_TURNS_MAX).flatMap(({ question, answer }) => [
    { role: 'user' as const, content: question },
    { role: 'assistant' as const, content: answer?.answer ?? '' },
  ])
}

/** Context of a question: the sandbox, the address of the page, and the turns that the page shows. */
interface Place {
  sandboxId: string | undefined
  base: string | undefined
  shown: readonly QuestionTurn[]
}

/** Asks a question with the earlier turns as context, and streams the answer into the conversation. */
export async function ask(
  cairn: Cairn,
  question: string,
  manner: SearchOptions,
  { sandboxId, base, shown }: Place,
): Promise<void> {
  asking?.abort()
  asking = new AbortController()
  const { signal } = asking
  const history = historyOf(shown)
  askedCount += 1
  const number = askedCount
  const changeTurn = (changed: Partial<QuestionTurn>) =>
    change(asked.map((turn) => (turn.number === number ? { ...turn, ...changed } : turn)))
  const before = asked.filter((turn) => turn.base === base && (turn.answer || turn.error))
  change([...before, { number, base, question, manner, history, streamed: '' }])
  try {
    const stream = cairn.streamAsk(question, { ...manner, ...explained(history) }, { signal })
    let text = ''
    for await (const { delta, restart } of stream) {
      text = restart ? delta : text + delta
      changeTurn({ streamed: text })
    }
    const answer: ShownAnswer = await stream.result()
    if (signal.aborted) return
    // The answer's page shows this reply, because it has more details than the stored answer.
    const { answer_id: id } = answer
    if (id) queries.setQueryData(answerKey(sandboxId, id), { ...answer, query: question, settings: manner })
    changeTurn({ answer })
  } catch (error) {
    if (!signal.aborted) changeTurn({ error })
  }
}

/** Begins a conversation with a question. Its answer is shown on the first page. */
export function askFirst(cairn: Cairn, sandboxId: string | undefined, question: string, manner: SearchOptions): void {
  forgetAsked()
  void ask(cairn, question, manner, { sandboxId, base: undefined, shown: [] })
}

/** Returns the parameters of a question whose answer is explained. */
export function explained(history: readonly ChatMessage[]) {
  return { statements: true, explain: true, ...(history.length > 0 && { history: [...history] }) }
}

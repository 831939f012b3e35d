import type { StoredAnswer } from '@cairnstore/client'
import { useQueries } from '@tanstack/react-query'
import { useCairn, useSession } from '../app/session.ts'
import { useFound } from '../app/use-found.ts'
import {
  answerKey,
  historyOf,
  type QuestionTurn,
  type SearchOptions,
  type ShownAnswer,
  useAsked,
} from './conversation.ts'

/** An answer in the cache, received as a reply or loaded as a stored answer. */
type CachedAnswer = ShownAnswer & Pick<StoredAnswer, 'query'> & Partial<Pick<StoredAnswer, 'settings'>>

/** The turns at an address, and the state of loading them. */
interface Conversation {
  turns: readonly QuestionTurn[]
  /** True while stored answers are loaded. */
  isLoading: boolean
  /** The error of the answer that the address names. */
  error: unknown
  /** Number of earlier answers that were deleted or are not visible to the caller. */
  missing: number
}

/** Returns the conversation at an address: the stored answers that it names, then the questions asked here. */
export function useConversation(answerId: string | undefined, after: readonly string[]): Conversation {
  const cairn = useCairn()
  const { sandboxId } = useSession()
  const asked = useAsked(answerId)
  const last = useFound<CachedAnswer>(
    ['answer', answerId ?? ''],
    (client, id) => client.getAnswer({ sandbox_id: id, answer_id: answerId! }),
    // An answer does not change, so it is not loaded again. Changes of feedback and sharing are made in the cache.
    { isEnabled: answerId !== undefined, staleTime: Number.POSITIVE_INFINITY },
  )
  const earlier = useQueries({
    queries: (last.data ? after : []).map((id) => ({
      queryKey: answerKey(sandboxId, id),
      queryFn: async (): Promise<CachedAnswer> => cairn.getAnswer({ answer_id: id }),
      staleTime: Number.POSITIVE_INFINITY,
    })),
  })
  const isLoading = (answerId !== undefined && last.isPending) || earlier.some(({ isPending }) => isPending)
  const answers = [...earlier.flatMap(({ data }) => data ?? []), ...(last.data ? [last.data] : [])]
  const stored: QuestionTurn[] = []
  for (const answer of answers) stored.push(turnOf(answer, stored))
  return {
    turns: isLoading ? [] : [...stored, ...asked],
    isLoading,
    error: last.data ? undefined : last.error,
    missing: earlier.filter(({ error, data }) => error !== null && data === undefined).length,
  }
}

function turnOf(answer: CachedAnswer, before: readonly QuestionTurn[]): QuestionTurn {
  const { query, settings, project_id: projectId } = answer
  const { reference_date, preset } = settings ?? {}
  const manner: SearchOptions = {
    ...(reference_date && { reference_date }),
    ...(projectId && { project_id: projectId }),
    ...(isMode(preset) && { preset }),
  }
  return { question: query, manner, history: historyOf(before), streamed: '', answer }
}

function isMode(preset: string | null | undefined): preset is NonNullable<SearchOptions['preset']> {
  return preset === 'fast' || preset === 'sql' || preset === 'discover'
}

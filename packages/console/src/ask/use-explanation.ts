import { useQuery } from '@tanstack/react-query'
import { useCairn, useSession } from '../app/session.ts'
import { explained, type QuestionTurn } from './conversation.ts'

/**
 * Returns the query of an answer's explanation. Stored answers have no explanation, because it quotes records that the
 * answer does not cite. Therefore the question is asked again with the current records, and the new answer is not
 * stored. For an answer that a model wrote, the explanation shows the statements that are considered without a model.
 */
export function useExplanation({ question, manner, history, answer }: QuestionTurn, isEnabled: boolean) {
  const cairn = useCairn()
  const { sandboxId } = useSession()
  const preset = answer?.written_by ? 'fast' : manner.preset
  const parameters = { ...manner, ...(preset && { preset }), ...explained(history), store: false }
  return useQuery({
    queryKey: [sandboxId, 'explanation', question, parameters],
    queryFn: () => cairn.ask(question, parameters),
    enabled: isEnabled,
    staleTime: Number.POSITIVE_INFINITY,
  })
}

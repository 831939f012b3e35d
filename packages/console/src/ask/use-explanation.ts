import { useQuery } from '@tanstack/react-query'
import { useCairn, useSession } from '../app/session.ts'
import { explained, type QuestionTurn } from './conversation.ts'

/**
 * Returns the query of an answer's explanation. A stored answer has none, because an explanation quotes records that
 * the answer does not cite. The question is asked again from the current records, without storing the answer. An answer
 * that a model wrote is explained by the statements that are considered without the model.
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

import type { ModelFailureKind } from '../model/model.ts'
import type { Told } from './tell-records.ts'

const WARNINGS: Record<ModelFailureKind, string> = {
  timeout: 'The model was not done in time',
  rate_limited: 'The model takes no more requests for now',
  unreachable: 'The model could not be reached',
  refused: 'The model refused the request',
  failed: 'The model failed',
  too_large: 'The answer of the model was too large',
  unreadable: 'The answer of the model did not hold',
  busy: 'The model is busy',
  resting: 'The model failed again and again and is left alone for a while',
}

/** What a caller should know when the model was of no use. */
export function warningOf(failure: ModelFailureKind): string {
  return `${WARNINGS[failure]}; the answer does without it.`
}

/** The headers that tell who wrote a brief, where a model is configured: none when none was to be asked. */
export function toldHeaders({ mode, failure }: Pick<Told, 'mode' | 'failure'>): Record<string, string> {
  return {
    ...(mode && { 'x-interpret-mode': mode }),
    // 199 is the code for a warning of any kind.
    ...(failure && { warning: `199 cairn "${warningOf(failure)}"` }),
  }
}

/** What comes at the end of parts that nobody wants one by one. */
export async function lastOf<R>(parts: AsyncGenerator<unknown, R>): Promise<R> {
  for (;;) {
    const part = await parts.next()
    if (part.done) return part.value
  }
}

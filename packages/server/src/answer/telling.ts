import { type ModelFailureKind, WARNINGS } from './models/model.ts'

/** Who told an answer, where a model was asked for it, and what the caller should know of that. */
export interface How {
  mode?: 'model' | 'extractive'
  warnings?: string[]
}

/** What a model was asked for that it did not do. */
const WANTED = {
  writer: 'The model that writes',
  reranker: 'The model that orders',
  embedder: 'The model that compares',
} as const

/** What a caller should know when the model was of no use. */
export function warningsOf(who: keyof typeof WANTED, failure: ModelFailureKind | undefined): string[] {
  return failure ? [`${WANTED[who]} ${WARNINGS[failure]}; the answer does without it.`] : []
}

/** The same of several. */
export function allWarnings(failures: Partial<Record<keyof typeof WANTED, ModelFailureKind>>): string[] {
  return (Object.keys(WANTED) as (keyof typeof WANTED)[]).flatMap((who) => warningsOf(who, failures[who]))
}

/** The headers that tell who wrote a brief, where a model is configured: none when none was to be asked. */
export function toldHeaders({ mode, warnings = [] }: How): Record<string, string> {
  return {
    ...(mode && { 'x-interpret-mode': mode }),
    // 199 is the code for a warning of any kind.
    ...(warnings.length > 0 && { warning: warnings.map((text) => `199 cairn "${text}"`).join(', ') }),
  }
}

/** What comes at the end of parts that nobody wants one by one. */
export async function lastOf<R>(parts: AsyncGenerator<unknown, R>): Promise<R> {
  for (;;) {
    const part = await parts.next()
    if (part.done) return part.value
  }
}

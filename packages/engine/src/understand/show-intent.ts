import type { QuestionIntent } from '@cairnstore/contract'
import { foldText, wordsOfFolded } from '../text/words.ts'
import { QUESTION_CHARS_READ, type Question } from './analyse-question.ts'
import type { TimeSpan } from './times-asked.ts'
import type { Intent } from './understand.ts'
import { questionText } from './wording.ts'

/** Finds names of a question among the records in scope. */
interface KnownNames<S> {
  readonly graph: {
    namesIn(question: Question, scope: S | null): { at: number; length: number; isOfPeople: boolean }[]
  }
}

/** An intent as it is shown to whoever asks how a question was understood. */
export function showIntent<S>(intent: Intent, { graph }: KnownNames<S>, scope: S | null): QuestionIntent {
  const { whole, parts, times, broad, event, talk, rowWordings, fullQuery, notes } = intent
  const text = questionText(intent.wording)
  const folded = foldText(text.slice(0, QUESTION_CHARS_READ))
  const words = wordsOfFolded(folded)
  const names = new Map<string, boolean>()
  for (const { at, length, isOfPeople } of graph.namesIn(fullQuery, scope)) {
    const [first, last] = [words[at], words[at + length - 1]]
    // What stands behind the question's own words is of the turns before it.
    if (first && last) names.set(folded.slice(first.from, last.to), isOfPeople)
  }
  return {
    text,
    parts: (parts.length > 0 ? parts : [whole]).map(({ wording, kind, terms }) => {
      const part = questionText(wording)
      const said = foldText(part)
      const own = [...names.keys()].filter((name) => said.includes(name))
      return { text: part, kind, terms, names: own, people: own.filter((name) => names.get(name)) }
    }),
    times: (times?.ranges ?? []).map(({ fromMs, toMs }: TimeSpan) => ({ from: moment(fromMs), until: moment(toMs) })),
    ...(broad && { broad: broad.of }),
    ...(event && times && { event: event.said }),
    ...(talk.subject !== '' && { subject: talk.subject }),
    asks_rows: rowWordings.length > 0,
    notes: [...notes],
  }
}

/** Milliseconds beyond which a date cannot be written. */
const MOMENT_MS_MAX = 8.64e15

function moment(ms: number): string | null {
  return Math.abs(ms) > MOMENT_MS_MAX ? null : new Date(ms).toISOString()
}

import type { QuestionIntent } from '@cairn/contract'
import { foldText } from '../text/fold.ts'
import { wordsOfFolded } from '../text/words.ts'
import type { Question } from './analyse-question.ts'
import type { TimeSpan } from './times-asked.ts'
import type { Intent } from './understand.ts'

/** Finds names of a question among the records in scope. */
interface KnownNames<S> {
  readonly graph: {
    namesIn(question: Question, scope: S | null): { at: number; length: number; isOfPeople: boolean }[]
  }
}

/** An intent as it is shown to whoever asks how a question was understood. */
export function showIntent<S>(intent: Intent, { graph }: KnownNames<S>, scope: S | null): QuestionIntent {
  const { text, whole, parts, times, event, talk, asksRows, fullQuery, notes } = intent
  const folded = foldText(text)
  const words = wordsOfFolded(folded)
  const names = graph.namesIn(fullQuery, scope).flatMap(({ at, length, isOfPeople }) => {
    const [first, last] = [words[at], words[at + length - 1]]
    // What stands behind the question's own words is of the turns before it.
    return first && last ? [{ name: folded.slice(first.from, last.to), isOfPeople }] : []
  })
  return {
    text,
    parts: (parts.length > 0 ? parts : [whole]).map(({ text: part, kind, terms }) => {
      const own = names.filter(({ name }) => foldText(part).includes(name))
      return {
        text: part,
        kind,
        terms,
        names: distinct(own),
        people: distinct(own.filter(({ isOfPeople }) => isOfPeople)),
      }
    }),
    times: (times?.ranges ?? []).map(({ fromMs, toMs }: TimeSpan) => ({ from: moment(fromMs), until: moment(toMs) })),
    ...(event && times && { event: event.said }),
    ...(talk.subject !== '' && { subject: talk.subject }),
    asks_rows: asksRows,
    notes: [...notes],
  }
}

function distinct(names: readonly { name: string }[]): string[] {
  return [...new Set(names.map(({ name }) => name))]
}

/** Milliseconds beyond which a date cannot be written. */
const MOMENT_MS_MAX = 8.64e15

function moment(ms: number): string | null {
  return Math.abs(ms) > MOMENT_MS_MAX ? null : new Date(ms).toISOString()
}

import type { BriefInput, BriefRecord } from '../../packages/engine/src/answer/brief.ts'
import { dayNumber, MS_PER_DAY } from '../../packages/engine/src/text/civil-date.ts'
import { analyseParts } from '../../packages/engine/src/understand/parts.ts'
import type { QuestionContext } from '../../packages/engine/src/understand/question.ts'

const STOP = new Set(
  (
    'the a an of to in on at is are was were and or for with what who when how many did does do it its by has have ' +
    'be that this from'
  ).split(' '),
)

/** Simple text analyzer for tests: lower-case words without stop words and common suffixes. */
export function plainTerms(text: string): string[] {
  const words = text.toLowerCase().match(/[\p{L}\p{M}\p{N}]+(?:-\d+)?/gu) ?? []
  return words
    .filter((word) => !STOP.has(word))
    .map((word) => (word.length > 3 ? word.replace(/(?:ing|ed|es|e|s)$/, '') : word))
}

/** Returns a record for tests, dated on a day of June 2026. */
export function story(id: string, day: number | undefined, fields: Partial<BriefRecord>): BriefRecord {
  const record: BriefRecord = { id, tuples: [0], score: 0.8, type: 'message', entities: [], ...fields }
  return day === undefined ? record : { ...record, occurredAtMs: dayNumber(2026, 6, day) * MS_PER_DAY }
}

/** Returns the input of a brief for tests. */
export function asking(
  query: string,
  records: BriefRecord[],
  { times, ...more }: Partial<BriefInput> & Pick<QuestionContext, 'times'> = {},
): BriefInput {
  return {
    asked: analyseParts(query, plainTerms, { times }),
    terms: plainTerms,
    referenceDate: '2026-06-30',
    records,
    tuples: [records.map((record) => record.id)],
    unresolvedIds: [],
    maxTokens: 2000,
    ...more,
  }
}

import { inAll } from '../lexicon/languages.ts'
import { dayOf, writeDay } from '../text/civil-date.ts'
import { plainLine } from '../text/clean-text.ts'
import type { BriefRecord } from './brief.ts'
import { nameWords } from './names.ts'
import type { RenderedPassage } from './show.ts'
import { typeWords } from './states.ts'

type CitedStatement = Pick<RenderedPassage, 'text' | 'recordIds' | 'computed'>

/** Function words that templates and connectives may add. None of them states a fact. */
export const FIXED_WORDS: ReadonlySet<string> = new Set(inAll('frameWords'))

/** Returns the words of an answer that are not in its records, in a shown computation or among the fixed words. */
export function unfaithfulWords(
  brief: { readonly statements: readonly CitedStatement[] },
  records: readonly BriefRecord[],
): string[] {
  const byId = new Map(records.map((record) => [record.id, record]))
  return brief.statements.flatMap((statement) => unsupportedWords(statement, byId))
}

function unsupportedWords(statement: CitedStatement, byId: ReadonlyMap<string, BriefRecord>): string[] {
  const known = new Set(nameWords(statement.computed ?? ''))
  for (const id of statement.recordIds) {
    const record = byId.get(id)
    if (record) for (const word of recordWords(record)) known.add(word)
  }
  const words = nameWords(statement.text)
  // A shortened statement can end inside a word.
  const cut = /…”?$/.test(statement.text) ? words[words.length - 1] : undefined
  const isCut = (word: string): boolean =>
    word === cut && [...known, ...FIXED_WORDS].some((each) => each.startsWith(word))
  return words.filter((word) => !known.has(word) && !FIXED_WORDS.has(word) && !isCut(word))
}

/** Returns all words of a record, with its days written out. */
function recordWords(record: BriefRecord): string[] {
  const days = [record.occurredAtMs, ...(record.relations ?? []).flatMap((each) => [each.validFromMs, each.validToMs])]
  const texts = [
    record.text ?? '',
    plainLine(record.text ?? ''),
    plainLine(record.title ?? ''),
    typeWords(record.type),
    record.url ?? '',
    record.sourceName ?? '',
    record.provider ?? '',
    record.author?.name ?? '',
    JSON.stringify(record.properties ?? {}),
    ...record.entities.flatMap((entity) => [entity.name, ...(entity.aliases ?? [])]),
    ...days.flatMap((ms) => (ms === undefined ? [] : [writeDay(dayOf(ms))])),
  ]
  return nameWords(texts.join('\n'))
}

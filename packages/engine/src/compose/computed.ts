import { NUMBERS } from '../lexicon/languages.ts'
import { plainLine } from '../text/clean-text.ts'
import { upperFirst } from '../text/words.ts'
import { isOtherTime, type Question } from '../understand/question.ts'
import type { BriefRecord, Draft } from './brief.ts'
import type { Material } from './candidates.ts'
import { nameWords } from './names.ts'
import { joinAnd, phaseOf, recordLabel, typeWords } from './states.ts'

/** Things that one sentence names, the others are counted. */
export const NAMED_MAX = 4
const PEOPLE_RECORDS_MIN = 4
const SHOWN_IDS_MAX = 20

/** A number in words up to twelve, in digits above. */
export function numberWord(count: number): string {
  return count === 0 ? 'no' : (NUMBERS[count - 1] ?? String(count))
}

/** A count as a computation shows it: word, digits and the records counted. */
export function shownCount(what: string, records: readonly BriefRecord[]): string {
  const ids = records.slice(0, SHOWN_IDS_MAX).map((record) => record.id)
  return `${what}: ${numberWord(records.length)} (${records.length}; ${ids.join(', ')})`
}

/** "Of the five issues pinned here, three are open: …" when the question counts records or named things. */
export function countDraft(question: Question, { records, termsOf }: Material, weight: number): Draft | undefined {
  if (question.kind !== 'howMany') return undefined
  const asked = new Set(question.terms)
  const types = [...new Set(records.map((record) => record.type))].filter((type) =>
    termsOf(typeWords(type)).some((term) => asked.has(term)),
  )
  if (types.length === 0) return countEntities(asked, records, termsOf, weight)
  const said = ` ${question.words.map(({ text }) => text).join(' ')} `
  const inTime = ({ occurredAtMs: atMs }: BriefRecord): boolean =>
    !question.times || (atMs !== undefined && !isOtherTime(question, atMs))
  const writers = records
    .flatMap((record) => record.author?.name ?? [])
    .filter((name) => said.includes(` ${nameWords(name).join(' ')} `))
  const all = records.filter(
    (record) =>
      types.includes(record.type) &&
      inTime(record) &&
      (writers.length === 0 || writers.includes(record.author?.name ?? '')),
  )
  const { phase } = question.ways
  const matching = phase ? all.filter((record) => phaseOf(record) === phase) : all
  const noun = plural(typeWords(types[0]!), all.length)
  const by = writers.length > 0 ? ` by ${plainLine(writers[0]!)}` : ''
  const list = listed(matching)
  const share = `${numberWord(matching.length)} ${matching.length === 1 ? 'is' : 'are'}`
  const text = phase
    ? `Of the ${numberWord(all.length)} ${noun}${by} pinned here, ${share} ${phase}${list}.`
    : `The pinned records hold ${numberWord(all.length)} ${noun}${by}${list}.`
  const computed = `${shownCount(noun, all)}${phase ? `; ${shownCount(phase, matching)}` : ''}`
  return { role: 'answer', text: upperFirst(text), recordIds: all.map((record) => record.id), computed, weight }
}

function listed(records: readonly BriefRecord[]): string {
  const labels = records.flatMap((record) => recordLabel(record) ?? [])
  if (labels.length === 0 || labels.length > NAMED_MAX || labels.length < records.length) return ''
  return `: ${joinAnd(labels)}`
}

function countEntities(
  asked: ReadonlySet<string>,
  records: readonly BriefRecord[],
  termsOf: (text: string) => string[],
  weight: number,
): Draft | undefined {
  const named = new Map<string, { name: string; type: string; records: string[] }>()
  for (const record of records) {
    for (const entity of record.entities) {
      if (!termsOf(typeWords(entity.type)).some((term) => asked.has(term))) continue
      const known = named.get(entity.canonicalId) ?? { name: plainLine(entity.name), type: entity.type, records: [] }
      known.records.push(record.id)
      named.set(entity.canonicalId, known)
    }
  }
  const all = [...named.values()]
  if (all.length === 0) return undefined
  const noun = plural(typeWords(all[0]!.type), all.length)
  const names = all.slice(0, SHOWN_IDS_MAX).map(({ name }) => name)
  const list = all.length <= NAMED_MAX * 2 ? `: ${joinAnd(names)}` : ''
  return {
    role: 'answer',
    text: `The pinned records name ${numberWord(all.length)} ${noun}${list}.`,
    recordIds: [...new Set(all.flatMap((each) => each.records))],
    computed: `${noun}: ${numberWord(all.length)} (${all.length}; ${names.join(', ')})`,
    weight,
  }
}

/** "Priya Raman wrote four of the nine records and Jon Berg three; Ana Silva has two of the issues." */
export function peopleDraft({ records }: Material, weight: number): Draft | undefined {
  if (records.length < PEOPLE_RECORDS_MIN) return undefined
  const authored = tally(records, (record) => (record.author ? plainLine(record.author.name) : undefined))
  if (authored.length < 2) return undefined
  const shown = authored.slice(0, NAMED_MAX - 1)
  const [head, ...rest] = shown
  const others = rest.map(([name, mine]) => `${name} ${numberWord(mine.length)}`)
  const all = numberWord(records.length)
  const each = shown.map(([name, mine]) => shownCount(`by ${name}`, mine))
  const used = shown.flatMap(([, mine]) => mine)
  return {
    role: 'people',
    text: `${head![0]} wrote ${numberWord(head![1].length)} of the ${all} records, ${joinAnd(others)}.`,
    recordIds: [...new Set(used.map((record) => record.id))],
    computed: `${shownCount('records', records)}; ${each.join('; ')}`,
    weight,
  }
}

function tally(
  records: readonly BriefRecord[],
  nameOf: (record: BriefRecord) => string | undefined,
): [name: string, records: BriefRecord[]][] {
  const byName = new Map<string, BriefRecord[]>()
  for (const record of records) {
    const name = nameOf(record)
    if (name) byName.set(name, [...(byName.get(name) ?? []), record])
  }
  return [...byName].sort((a, b) => b[1].length - a[1].length)
}

/** The plural of an English type word; other words are left as they are after one. */
export function plural(noun: string, count: number): string {
  if (count === 1 || /s$/.test(noun)) return noun
  return /[^aeiou]y$/.test(noun) ? `${noun.slice(0, -1)}ies` : /(ch|sh|x)$/.test(noun) ? `${noun}es` : `${noun}s`
}

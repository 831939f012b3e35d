import { type BriefInput, type BriefRecord, FIXED_WORDS, nameWords, recordWords } from '@cairnstore/engine/compose'
import { plainLine } from '@cairnstore/engine/text'
import type { WrittenStatement } from './writing-prompt.ts'

/** A statement that may stand in a brief: plain text, and the records that it rests on. */
export interface AcceptedStatement {
  text: string
  recordIds: string[]
  isContext: boolean
}

/** A statement is one or two sentences; what is longer is no statement. */
const STATEMENT_CHARS_MAX = 1_200
/** The labels of records are told as citations, not in the text. */
const LABELS = /\s*[([{]\s*r\d{1,3}(?:\s*[,;&]\s*r\d{1,3})*\s*[)\]}]/g
const BARE_LABEL = /\br\d{1,3}\b/
const ADDRESS = /\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s<>"“”)\]]+|\b(?:mailto|javascript|data|tel):\S+|\bwww\.\S+/gi
/** What mail clients and chats would make a link of: a host, an e-mail address, a file's name. */
const DOTTED = /[\p{L}\p{N}_-]+(?:[.@][\p{L}\p{N}_-]+)*\.\p{L}{2,}/gu
/** Words in capitals of this length are names or codes in any language. */
const CAPITALS_MIN = 4

/**
 * Checks each statement of a model against what it was given: labels that were not given are dropped, and so is a
 * statement that rests on no record, or that names a link, address, number, code or person of which the records and
 * the question know nothing. Pure.
 */
export function statementCheck(
  input: Pick<BriefInput, 'asked' | 'referenceDate' | 'records'>,
  labelled: ReadonlyMap<string, BriefRecord>,
  mark: string,
): (written: WrittenStatement) => AcceptedStatement | undefined {
  const known = knownWords(input)
  const countMax = input.records.length
  return ({ text: written, ids, paragraph }) => {
    if (written.length > STATEMENT_CHARS_MAX || written.includes(mark)) return undefined
    const text = plainLine(written.replace(LABELS, ''))
    const cited = [...new Set(ids.map((id) => id.trim().replace(/^\[(.*)\]$/, '$1')))].flatMap(
      (id) => labelled.get(id) ?? [],
    )
    const isTold = /[\p{L}\p{N}]/u.test(text) && cited.length > 0 && !BARE_LABEL.test(text)
    if (!isTold || !namesNoOtherPlace(text, cited) || !isGrounded(text, known, countMax)) return undefined
    return {
      text: /[.!?…。！？]["”’)]?$/u.test(text) ? text : `${text}.`,
      recordIds: cited.map(({ id }) => id),
      isContext: paragraph > 1,
    }
  }
}

/** A link stands in a brief only when it is a cited record's own; a host or file only when its text names it so. */
function namesNoOtherPlace(text: string, cited: readonly BriefRecord[]): boolean {
  const own = new Set(cited.flatMap(({ url }) => url ?? []))
  const links = text.match(ADDRESS) ?? []
  if (!links.every((link) => own.has(link) || own.has(link.replace(/[.,;:!?]+$/, '')))) return false
  const said = cited
    .map((record) =>
      [record.title, record.text, JSON.stringify(record.properties ?? {}), ...namesOf(record)].join('\n'),
    )
    .join('\n')
    .replace(ADDRESS, ' ')
    .toLowerCase()
  return (text.replace(ADDRESS, ' ').match(DOTTED) ?? []).every((place) => said.includes(place.toLowerCase()))
}

function namesOf(record: BriefRecord): string[] {
  return record.entities.flatMap(({ name, aliases }) => [name, ...(aliases ?? [])])
}

function knownWords({ asked, referenceDate, records }: Pick<BriefInput, 'asked' | 'referenceDate' | 'records'>) {
  const words = [
    ...records.flatMap(recordWords),
    ...asked.whole.words.map(({ text }) => text),
    ...nameWords(referenceDate),
    ...FIXED_WORDS,
  ]
  const joined = records.map(({ title, text }) => `${title ?? ''}\n${text ?? ''}`).join('\n')
  return new Set([...words, ...nameWords(joinDigits(joined))].map(bareNumber))
}

/** `12,400` and `12 400` are one number. */
function joinDigits(text: string): string {
  return text.replace(/(?<=\d)[,.'’ \u00a0\u202f](?=\d{3}(?!\d))/g, '')
}

/** A number without leading zeros and without the ending of an ordinal. */
function bareNumber(word: string): string {
  return word.replace(/^0+(?=\d)/, '').replace(/^(\d+)(?:st|nd|rd|th)$/, '$1')
}

const SENTENCE = /(?<=[.!?…]["”’)]?)\s+/u
const CAPITALISED = /^\p{Lu}/u

/** Whether every number, code and name of a text is known; a small number may count the records. */
function isGrounded(text: string, known: ReadonlySet<string>, countMax: number): boolean {
  const isKnown = (word: string) => nameWords(word).every((part) => known.has(bareNumber(part)))
  for (const sentence of joinDigits(text).split(SENTENCE)) {
    const words = sentence.split(/[\s/–—]+/).filter((word) => /[\p{L}\p{N}]/u.test(word))
    for (const [at, word] of words.entries()) {
      const bare = word.replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, '').replace(/['’]s$/, '')
      if (isKnown(bare)) continue
      if (/[\p{N}_]/u.test(bare)) {
        // Of a code every part is told, of a number with a word at it (`30-second`) the number.
        const parts = nameWords(bare).filter((part) => /[\p{Lu}_]/u.test(bare) || /\p{N}/u.test(part))
        if (!parts.every((part) => isKnown(part) || (/^\d+$/.test(part) && Number(part) <= countMax))) return false
      } else if (isCode(bare) || (at > 0 && isInName(words, at))) return false
    }
  }
  return true
}

function isCode(word: string): boolean {
  return (
    (word.length >= CAPITALS_MIN && word === word.toUpperCase() && word !== word.toLowerCase()) ||
    /\p{Ll}\p{Lu}/u.test(word)
  )
}

/** Whether a capitalised word stands next to another, as the parts of a name do, a sentence's first word aside. */
function isInName(words: readonly string[], at: number): boolean {
  if (!CAPITALISED.test(words[at]!)) return false
  const before = at > 1 ? words[at - 1]! : ''
  return CAPITALISED.test(before) || CAPITALISED.test(words[at + 1] ?? '')
}

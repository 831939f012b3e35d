// Generates questions that a corpus does not answer: about things that it does not mention, and questions of other
// corpora about things that it does mention.
import { sampled } from './sampled.mjs'

const FORMS = [
  'Who is NAME?',
  'What is NAME?',
  'When did NAME start?',
  'Who should I ask about NAME?',
  'What do we know about NAME?',
  'Why was NAME chosen?',
  'Where is NAME?',
  'How many people work on NAME?',
  'What did NAME say about the budget?',
  'what happened with NAME last month',
  'Is NAME still open?',
  'how much does NAME cost',
]
const WORDS_MAX = 4
const SMALL_CHARS_MAX = 3

/** @param {string} text */
function plain(text) {
  return ` ${(text.toLowerCase().match(/[\p{L}\p{M}\p{N}]+/gu) ?? []).join(' ')} `
}

/** Returns true if all words except short ones are capitalized. @param {string} title */
function isName(title) {
  return title.split(' ').every((word, at) => /^\p{Lu}/u.test(word) || (at > 0 && word.length <= SMALL_CHARS_MAX))
}

/**
 * Returns names of other records that these records do not mention.
 * @param {readonly import('../sandbox.mjs').Sent[]} records
 * @param {readonly import('../sandbox.mjs').Sent[]} others  whose titles are the names
 */
function unmentionedNames(records, others) {
  const held = plain(records.map((record) => JSON.stringify(record)).join('\n'))
  const names = [...new Set(others.map(({ title = '' }) => title.replace(/\s*\(.*\)$/, '')))]
  return names.filter((name) => {
    const words = plain(name).trim().split(' ')
    return isName(name) && words.length <= WORDS_MAX && !held.includes(plain(name))
  })
}

/**
 * Returns short questions about something that the records do not mention.
 * @param {readonly import('../sandbox.mjs').Sent[]} records
 * @param {readonly import('../sandbox.mjs').Sent[]} others
 * @param {number} count
 * @param {string} seed
 */
export function unmentioned(records, others, count, seed) {
  return sampled(
    unmentionedNames(records, others).map((id) => ({ id })),
    count,
    seed,
  ).map(({ id: name }, at) => ({
    id: `unmentioned/${name}`,
    // Half of them are lower case, as some users type.
    text: (FORMS[at % FORMS.length] ?? '').replace(
      'NAME',
      at % (2 * FORMS.length) < FORMS.length ? name : name.toLowerCase(),
    ),
    gold: new Map(),
  }))
}

/** Capitalized names within a question, except its first word. */
const WRITTEN = /(?<=\s)\p{Lu}[\p{L}'’.-]*(?:\s+\p{Lu}[\p{L}'’.-]*)*/gu

/**
 * Replaces the names in these records' questions with names that the records do not mention.
 * @param {readonly import('../sandbox.mjs').Sent[]} records
 * @param {readonly import('../sandbox.mjs').Sent[]} others
 * @param {readonly { id: string, text: string, reference?: string }[]} questions  those without a name are skipped
 * @param {string} seed
 */
export function renamed(records, others, questions, seed) {
  const names = sampled(
    unmentionedNames(records, others).map((id) => ({ id })),
    questions.length,
    `${seed}/renamed`,
  )
  return questions.flatMap((asked, at) => {
    const text = asked.text.replace(WRITTEN, names[at % names.length]?.id ?? '')
    return text === asked.text ? [] : [{ ...asked, id: `renamed/${asked.id}`, text, gold: new Map() }]
  })
}

/** Names in running text: capitalized words after a lower-case letter. */
const NAMES_IN_TEXT = /(?<=[\p{Ll},] )\p{Lu}\p{Ll}+(?: \p{Lu}\p{Ll}+){0,2}/gu
/** Number of records from which one occurrence shows that something is a name; in smaller corpora it takes two. */
const MANY_RECORDS = 500

/** Returns the names in records: titles, authors, and names in their texts. @param {readonly any[]} records */
function ownNames(records) {
  /** @type {Map<string, number>} */
  const counts = new Map()
  for (const { title = '', author, text = '' } of records) {
    const bare = title.replace(/\s*\(.*\)$/, '')
    const words = bare.split(' ')
    const isTitle = bare !== '' && words.length <= WORDS_MAX && words.every((word) => /^\p{Lu}/u.test(word))
    const mentioned = Array.from(text.matchAll(NAMES_IN_TEXT), ([name]) => name)
    for (const name of [...(isTitle ? [bare] : []), ...(author?.name ? [author.name] : []), ...mentioned])
      counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  return [...counts].filter(([, count]) => count > 1 || records.length > MANY_RECORDS).map(([name]) => name)
}

/**
 * Returns questions of other corpora with their name replaced by one that these records mention. Except by chance the
 * records do not answer them.
 * @param {readonly import('../sandbox.mjs').Sent[]} records
 * @param {readonly { id: string, text: string }[]} asked  questions of other corpora
 * @param {number} count
 * @param {string} seed
 */
export function transplanted(records, asked, count, seed) {
  const own = ownNames(records).map((id) => ({ id }))
  const names = sampled(own, count, `${seed}/own`)
  const made = sampled(asked, 2 * count, `${seed}/asked`).flatMap(({ id, text }, at) => {
    const [written = '', ...others] = new Set(text.match(WRITTEN))
    const name = names[at % names.length]?.id
    if (written === '' || others.length > 0 || name === undefined) return []
    const instead = /['’]s$/.test(written) ? `${name}'s` : name
    return [{ id: `transplanted/${id}`, text: text.replaceAll(written, instead), gold: new Map() }]
  })
  return made.slice(0, count)
}

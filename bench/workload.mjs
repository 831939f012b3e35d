// Generates a synthetic company of any size from a seed. People in three tools write about projects, issues and each
// other; word frequencies follow Zipf's law, as in real texts.

const SYLLABLES = [...'bdfgklmnprstvz'].flatMap((consonant) => [...'aeiou'].map((vowel) => consonant + vowel))
const FIRST_NAMES = [
  ...'Priya Alex Tomas Yuki Dele Fatima Marek Joost Sam Ingrid Rosa Omar Lena Hugo Mina'.split(' '),
  ...'Pavel Noor Elif Kofi Anna Liam Zoe Ravi Iris Emil Nadia Bruno Clara Viktor Amina'.split(' '),
]
const COMMON = [
  ...'the a of to in is for on it we that with this was be are at by from as not'.split(' '),
  ...'have can will now but so after then when'.split(' '),
]
const WORDS = 30_000
const PEOPLE = 400
const PROJECTS = 300
const START_MS = Date.UTC(2026, 0, 5)
const MINUTE_MS = 60_000
const RECORDS_PER_ISSUE = 8

/** Returns a seeded random number generator (mulberry32). Equal seeds give equal workloads. */
export function seeded(seed) {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** @param {number} seed */
export function openWorkload(seed = 1) {
  const random = seeded(seed)
  const pick = (list) => list[Math.floor(random() * list.length)]
  const word = () => Array.from({ length: 2 + Math.floor(random() * 3) }, () => pick(SYLLABLES)).join('')
  const capital = (text) => text[0].toUpperCase() + text.slice(1)
  const vocabulary = Array.from({ length: WORDS }, word)
  // Draws rank r with probability proportional to 1/r, by the inverse of the harmonic sum's logarithm.
  const zipf = () => vocabulary[Math.min(WORDS - 1, Math.floor(Math.exp(random() * Math.log(WORDS))) - 1)]
  const people = Array.from({ length: PEOPLE }, (_, at) => {
    const name = `${FIRST_NAMES[at % FIRST_NAMES.length]} ${capital(word())}`
    const login = `${name.toLowerCase().replace(' ', '.')}${at}`
    return { name, login, email: `${login}@firm.example` }
  })
  const projects = Array.from({ length: PROJECTS }, () => `${capital(word())} ${capital(word())}`)
  const sentence = () => {
    const words = Array.from({ length: 6 + Math.floor(random() * 12) }, () => (random() < 0.4 ? pick(COMMON) : zipf()))
    if (random() < 0.25) words.push(pick(people).name)
    if (random() < 0.2) words.push('on', pick(projects))
    return `${capital(words.join(' '))}.`
  }
  const text = (sentences) => Array.from({ length: sentences }, sentence).join(' ')

  /** Returns the record with this number: one in eight is an issue, the others are messages that may mention one. */
  const record = (number) => {
    const person = pick(people)
    const isIssue = number % RECORDS_PER_ISSUE === 0
    const key = `FIRM-${Math.max(1, Math.floor((isIssue ? number : random() * number) / RECORDS_PER_ISSUE))}`
    const mention = !isIssue && random() < 0.3 ? ` See ${key}.` : ''
    return {
      external_id: String(number),
      type: isIssue ? 'issue' : 'message',
      ...(isIssue && { title: `${key} ${capital(zipf())} ${zipf()} ${zipf()}` }),
      text: text(1 + Math.floor(random() * 5)) + mention,
      occurred_at: new Date(START_MS + number * MINUTE_MS).toISOString(),
      author: { type: 'person', name: person.name, identifiers: { login: person.login, email: person.email } },
      ...(isIssue && {
        entities: [
          { type: 'issue', name: key, identifiers: { key } },
          { type: 'project', name: pick(projects) },
        ],
        properties: { state: pick(['open', 'in progress', 'done']), priority: 1 + Math.floor(random() * 4) },
      }),
    }
  }

  /** Returns a question about a record: some of its rarer words, sometimes with a person or project. */
  const question = (about) => {
    const words = about.text
      .replace(/[.]/g, '')
      .split(' ')
      .filter((term) => term.length > 4)
    const chosen = Array.from({ length: 3 + Math.floor(random() * 3) }, () => pick(words) ?? zipf())
    const who = random() < 0.3 ? ` by ${pick(people).name}` : ''
    const where = random() < 0.3 ? ` in ${pick(projects)}` : ''
    return `What happened with ${chosen.join(' ')}${who}${where}?`
  }
  return { record, question, random }
}

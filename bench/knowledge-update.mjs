// Measures answers about values that a user later changed in a chat with an assistant: the newest value must be in the
// answer, and no older value before it. The chats of all such questions are in one sandbox together with others. With
// --messages each question has its own user and sandbox, whose chats are stored as messages, with as many other chats
// before the question as --beside says.
// Usage: npm run bench:updates -- DIR [--half development|other|all] [--beside CHATS] [--messages] [--show]; DIR holds
// LongMemEval.
import { parseArgs } from 'node:util'
import { openAnswerer } from './briefs/answerer.mjs'
import { sampled } from './briefs/sampled.mjs'
import { messagesOf } from './chat-messages.mjs'
import { findSets, halfOf } from './sets.mjs'

const KIND = 'knowledge-update'
/** Number of additional chats without evidence: in the shared sandbox, and for a single user. */
const BESIDE = { all: 6_000, messages: 40 }
const SHOWN_CHARS = 400
const ANSWER_WORDS_MAX = 8
const DAY_MS = 24 * 60 * 60 * 1000
/** The other question type about users' statements, which preferring newer values must not harm. */
const OTHERS = 'single-session-user'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    half: { type: 'string', default: 'development' },
    beside: { type: 'string' },
    messages: { type: 'boolean', default: false },
    show: { type: 'boolean', default: false },
  },
})
const set = findSets(positionals[0], ['longmemeval'])[0]?.read()[0]
if (!set) {
  console.error('Usage: npm run bench:updates -- DIR [--half HALF] [--beside CHATS] [--messages] [--show]')
  process.exit(1)
}

const SMALL_NUMBERS = 'zero one two three four five six seven eight nine ten eleven twelve'.split(' ')
/** Words of an answer that are not part of its value. */
const MUTE = new Set('a an the in at on of to my i you for per it is was have has'.split(' '))
/** Questions that ask for the older value. */
const ASKS_FORMER = /\b(?:previous|previously|before|earlier|initially|used to|former|old(?:er)? goal)\b/i

/** @param {string} text */
function valueWords(text) {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+(?:[:.,]\d+)*/gu) ?? []
  return words.map((word) => {
    const at = SMALL_NUMBERS.indexOf(word)
    return at < 0 ? word.replaceAll(',', '') : String(at)
  })
}

/** @param {string} text @param {string} answer */
function containsAnswer(text, answer) {
  const words = new Set(valueWords(text))
  return valueWords(answer)
    .filter((word) => !MUTE.has(word))
    .every((word) => words.has(word))
}

/**
 * Returns true if an answer is a value. Yes, no and whole sentences do not occur literally in a text. @param {string}
 * answer
 */
function isValue(answer) {
  return answer !== '' && !/^(?:yes|no)\b/i.test(answer) && valueWords(answer).length <= ANSWER_WORDS_MAX
}

const every = set.questions.filter(({ group, id }) => group === KIND && !id.endsWith('_abs'))
const asked = halfOf(every, /** @type {any} */ (values.half)).filter(({ answer = '' }) => isValue(answer))
const needed = new Set(every.flatMap(({ gold }) => [...gold.keys()]))
const beside = Number(values.beside ?? (values.messages ? BESIDE.messages : BESIDE.all))
const others = halfOf(
  set.questions.filter(({ group, id, answer = '' }) => group === OTHERS && !id.endsWith('_abs') && isValue(answer)),
  /** @type {any} */ (values.half),
)
const chats = set.records.map(({ external_id: id, occurred_at: at = '' }, place) => ({ id, at, place }))
const evidenceOfAny = new Set(set.questions.flatMap(({ gold }) => [...gold.keys()]))
/** All chats in one sandbox shared by all questions; opened once. */
const shared = values.messages ? undefined : await openShared()

async function openShared() {
  const rest = sampled(
    chats.filter(({ place }) => !needed.has(place)),
    beside,
    '1',
  )
  const kept = [...needed, ...rest.map(({ place }) => place)].sort((one, other) => one - other)
  const records = kept.map((at) => /** @type {any} */ (set?.records[at]))
  const { search } = await openAnswerer(records)
  return { search, chatAt: (/** @type {number} */ at) => kept[at] ?? -1, count: records.length }
}

/**
 * Opens the sandbox for a question. Returns also the chat of each of its records.
 * @param {typeof every[number]} question
 */
async function openFor({ id, gold, reference = '' }) {
  if (shared) return shared
  const until = Date.parse(reference) + DAY_MS
  const fit = chats.filter(({ place, at }) => !evidenceOfAny.has(place) && Date.parse(at) < until)
  const places = [...gold.keys(), ...sampled(fit, beside, id).map(({ place }) => place)]
  const records = messagesOf(places.map((at) => /** @type {any} */ (set?.records[at])))
  const { search } = await openAnswerer(records)
  const placeOf = new Map(places.map((at) => [set?.records[at]?.external_id, at]))
  return {
    search,
    chatAt: (/** @type {number} */ at) => placeOf.get(records[at]?.properties.session) ?? -1,
    count: places.length,
  }
}

const counts = { newest: 0, right: 0, answered: 0, stands: 0 }
for (const question of asked) {
  const { text, gold, answer = '', reference } = question
  const { search, chatAt } = await openFor(question)
  const reply = await search(text, reference)
  const timeOf = (/** @type {number} */ at) => Date.parse(set.records[at]?.occurred_at ?? '')
  const evidence = [...gold.keys()].sort((one, other) => timeOf(one) - timeOf(other))
  const isFormer = ASKS_FORMER.test(text)
  const wanted = isFormer ? evidence[0] : evidence.at(-1)
  const restsOn = (/** @type {any} */ { recordIds }, /** @type {number | undefined} */ at) =>
    recordIds.some((/** @type {string} */ id) => chatAt(reply.indexOf(id)) === at)
  const first = reply.statements.findIndex((each) => restsOn(each, wanted) && containsAnswer(each.text, answer))
  const containsValue = reply.answered && containsAnswer(reply.brief, answer)
  // An older value is wrong if it comes before the newest one, unless the statement also cites the newer chat.
  const older = reply.statements.findIndex(
    (each) => evidence.some((at) => at !== wanted && restsOn(each, at)) && !restsOn(each, wanted),
  )
  const isRight = containsValue && first >= 0 && (isFormer || older < 0 || first < older)
  counts.answered += Number(reply.answered)
  counts.newest += Number(containsValue)
  counts.right += Number(isRight)
  counts.stands += Number(reply.input.records.some((/** @type {any} */ { id }) => chatAt(reply.indexOf(id)) === wanted))
  if (values.show) {
    console.log(`${isRight ? '+' : containsValue ? '±' : '-'} ${text} [${answer}]`)
    for (const { text: said, recordIds } of reply.statements) {
      const from = recordIds.map((id) => evidence.indexOf(chatAt(reply.indexOf(id))))
      console.log(`      ${from.join(',')} ${said.slice(0, SHOWN_CHARS)}`)
    }
  }
}
const share = (/** @type {number} */ count) => `${count}/${asked.length} ${((100 * count) / asked.length).toFixed(1)} %`
/** Other questions about users' statements: count those whose answer occurs in the brief, by word matching. */
let held = 0
for (const question of others) {
  const { text, answer = '', reference } = question
  const { search } = await openFor(question)
  const { brief, answered } = await search(text, reference)
  held += Number(answered && containsAnswer(brief, answer))
}
console.log(`${KIND}, ${values.half}, ${shared ? `${shared.count} chats` : `${beside} chats beside, as messages`}`)
console.log(`  the newest is among the candidates     ${share(counts.stands)}`)
console.log(`  answered                              ${share(counts.answered)}`)
console.log(`  the value given                       ${share(counts.newest)}`)
console.log(`  … and no older one before it          ${share(counts.right)}`)
console.log(`  ${OTHERS}: the value given      ${held}/${others.length}`)

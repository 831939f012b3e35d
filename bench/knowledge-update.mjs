// Of what a user told an assistant and later told anew, what is told when asked: the newest value, and whether the
// older one is told before it. The chats of all such questions stand in one sandbox with others beside them.
// Usage: npm run bench:updates -- DIR [--half development|other|all] [--beside CHATS] [--show]; DIR holds LongMemEval.
import { parseArgs } from 'node:util'
import { sampled } from './briefs/sampled.mjs'
import { openTelling } from './briefs/telling.mjs'
import { findSets, halfOf } from './sets.mjs'

const KIND = 'knowledge-update'
/** Chats without evidence that stand beside: all. */
const BESIDE = 6_000
const SHOWN_CHARS = 400
const ANSWER_WORDS_MAX = 8
/** The other kind of questions on what users said, which a rule for the newest must not cost. */
const OTHERS = 'single-session-user'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    half: { type: 'string', default: 'development' },
    beside: { type: 'string', default: String(BESIDE) },
    show: { type: 'boolean', default: false },
  },
})
const set = findSets(positionals[0], ['longmemeval'])[0]?.read()[0]
if (!set) {
  console.error('Usage: npm run bench:updates -- DIR [--half development|other|all] [--beside CHATS] [--show]')
  process.exit(1)
}

const SMALL_NUMBERS = 'zero one two three four five six seven eight nine ten eleven twelve'.split(' ')
/** Words of an answer that say nothing of its value. */
const MUTE = new Set('a an the in at on of to my i you for per it is was have has'.split(' '))
/** Questions whose answer is the older value. */
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
function tells(text, answer) {
  const told = new Set(valueWords(text))
  return valueWords(answer)
    .filter((word) => !MUTE.has(word))
    .every((word) => told.has(word))
}

/** What is answered by yes or no, or by a sentence, has no value that could stand anywhere. @param {string} answer */
function isValue(answer) {
  return answer !== '' && !/^(?:yes|no)\b/i.test(answer) && valueWords(answer).length <= ANSWER_WORDS_MAX
}

const every = set.questions.filter(({ group, id }) => group === KIND && !id.endsWith('_abs'))
const asked = halfOf(every, /** @type {any} */ (values.half)).filter(({ answer = '' }) => isValue(answer))
const needed = new Set(every.flatMap(({ gold }) => [...gold.keys()]))
const rest = sampled(
  set.records.flatMap(({ external_id: id }, at) => (needed.has(at) ? [] : [{ id, at }])),
  Number(values.beside),
  '1',
).map(({ at }) => at)
const kept = [...needed, ...rest].sort((one, other) => one - other)
const records = kept.map((at) => /** @type {any} */ (set.records[at]))
const placeOf = new Map(kept.map((from, to) => [from, to]))
const { search } = await openTelling(records)

const counts = { newest: 0, right: 0, answered: 0, stands: 0 }
for (const { text, gold, answer = '', reference } of asked) {
  const told = await search(text, reference)
  const timeOf = (/** @type {number} */ at) => Date.parse(records[at].occurred_at ?? '')
  const evidence = [...gold.keys()].map((at) => placeOf.get(at) ?? -1).sort((one, other) => timeOf(one) - timeOf(other))
  const isFormer = ASKS_FORMER.test(text)
  const wanted = isFormer ? evidence[0] : evidence.at(-1)
  const restsOn = (/** @type {any} */ { recordIds }, /** @type {number | undefined} */ at) =>
    recordIds.some((/** @type {string} */ id) => told.indexOf(id) === at)
  const first = told.statements.findIndex((each) => restsOn(each, wanted) && tells(each.text, answer))
  const isTold = told.answered && tells(told.brief, answer)
  // The older value leads where its chat is told before the newest value, without the newer chat beside it.
  const older = told.statements.findIndex(
    (each) => evidence.some((at) => at !== wanted && restsOn(each, at)) && !restsOn(each, wanted),
  )
  const isRight = isTold && first >= 0 && (isFormer || older < 0 || first < older)
  counts.answered += Number(told.answered)
  counts.newest += Number(isTold)
  counts.right += Number(isRight)
  counts.stands += Number(told.input.records.some((/** @type {any} */ { id }) => told.indexOf(id) === wanted))
  if (values.show) {
    console.log(`${isRight ? '+' : isTold ? '±' : '-'} ${text} [${answer}]`)
    for (const { text: said, recordIds } of told.statements) {
      const from = recordIds.map((id) => evidence.indexOf(told.indexOf(id)))
      console.log(`      ${from.join(',')} ${said.slice(0, SHOWN_CHARS)}`)
    }
  }
}
const share = (/** @type {number} */ count) => `${count}/${asked.length} ${((100 * count) / asked.length).toFixed(1)} %`
/** What else users ask of what they told: whether the answer stands in the brief, as far as words can tell. */
const others = halfOf(
  set.questions.filter(({ group, id, answer = '' }) => group === OTHERS && !id.endsWith('_abs') && isValue(answer)),
  /** @type {any} */ (values.half),
)
let held = 0
for (const { text, answer = '', reference } of others) {
  const { brief, answered } = await search(text, reference)
  held += Number(answered && tells(brief, answer))
}
console.log(`${KIND}, ${values.half}, ${records.length} chats`)
console.log(`  the newest is among the records read  ${share(counts.stands)}`)
console.log(`  answered                              ${share(counts.answered)}`)
console.log(`  the value told                        ${share(counts.newest)}`)
console.log(`  … and no older one before it          ${share(counts.right)}`)
console.log(`  ${OTHERS}: the value told       ${held}/${others.length}`)

// Measures answers and abstention on public question sets and on the example workspace. Every question is parsed,
// ranked and answered in this process: from the ten best records as `search` does, and on the five best as `interpret`
// does. Baselines are the lead sentences and TextRank of the same records at the same length.
// Usage: npm run bench:briefs -- DIR [--sets A,B] [--half development|other|all] [--whole] [--seed S]; without --whole
// it draws samples by the seed, which takes about two minutes, and skips the chats with an assistant, which take as
// long to load.
import { parseArgs } from 'node:util'
import { openAnswerer } from './briefs/answerer.mjs'
import { figuresOf, holds, wordCount } from './briefs/figures.mjs'
import { sampled } from './briefs/sampled.mjs'
import { renamed, unmentioned } from './briefs/unmentioned.mjs'
import { readWorkspace } from './briefs/workspace.mjs'
import { splitSentences } from './product.mjs'
import { mean } from './quality/measures.mjs'
import { leadSentences, textRank } from './quality/summaries.mjs'
import { findSets, halfOf } from './sets.mjs'

const SAMPLE = { multihop: 100, talks: 60, graded: 150, memory: 80 }
const UNMENTIONED = 50
const KINDS = ['multihop', 'graded', 'talks', 'memory']

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    sets: { type: 'string' },
    half: { type: 'string', default: 'all' },
    seed: { type: 'string', default: '1' },
    whole: { type: 'boolean', default: false },
    show: { type: 'string' },
  },
})
const wanted = values.sets?.split(',').filter(Boolean) ?? []
const found = findSets(positionals[0], wanted).filter(
  ({ kind, name }) => KINDS.includes(kind) && hasAnswers(name, kind),
)
if (found.length === 0) {
  console.error(
    'Usage: npm run bench:briefs -- DIR [--sets A,B] [--half H] [--whole] [--seed S]; DIR holds question sets.',
  )
  process.exit(1)
}

/**
 * Returns true if a set's questions have answers. Of the sets with graded judgments only ClapNQ also has unanswerable
 * questions.
 * @param {string} name
 * @param {string} kind
 */
function hasAnswers(name, kind) {
  return (kind !== 'graded' || name.startsWith('clapnq')) && (kind !== 'memory' || values.whole || wanted.length > 0)
}

/** @typedef {{ reply: import('./briefs/answerer.mjs').Reply, asked: any }} Answered */

/** @param {readonly any[]} questions @param {number} count */
function chosen(questions, count) {
  const half = halfOf(questions, /** @type {any} */ (values.half))
  return values.whole ? half : sampled(half, count, values.seed ?? '')
}

/**
 * @param {(query: string, day?: string) => Promise<import('./briefs/answerer.mjs').Reply>} ask
 * @param {readonly any[]} questions
 */
async function answerAll(ask, questions) {
  /** @type {Answered[]} */
  const answers = []
  for (const asked of questions) answers.push({ asked, reply: await ask(asked.text, asked.reference) })
  return answers
}

/** @param {string} name @param {readonly Answered[]} answers */
function printAnswers(name, answers) {
  const { onGold, evidence, held, first, median, unfaithful } = figuresOf(answers)
  const shown = [onGold, evidence, held, first].map((share) => (Number.isNaN(share) ? '–' : (100 * share).toFixed(1)))
  console.log(
    `${name.padEnd(34)}${[...shown, String(median), String(unfaithful)].map((each) => each.padStart(10)).join('')}`,
  )
}

/** @param {readonly Answered[]} answers @param {typeof leadSentences} summarise */
function plainShare(answers, summarise) {
  const asked = answers.filter(({ asked: { answer }, reply }) => answer && holds(recordsText(reply), answer))
  return mean(
    asked.map(({ asked: { answer }, reply }) =>
      Number(holds(summarise(sentencesOf(reply), wordCount(reply.brief)), answer)),
    ),
  )
}

/** @param {Answered['reply']} reply */
function recordsText({ input }) {
  return input.records.map((/** @type {any} */ { title, text }) => `${title}. ${text}`).join('\n')
}

/** @param {Answered['reply']} reply */
function sentencesOf({ input }) {
  return input.records.map((/** @type {any} */ { title, text = '' }) =>
    splitSentences(text).map((sentence, at) => (at === 0 && title ? `${title}: ${sentence}` : sentence)),
  )
}

/** @param {string} name @param {readonly Answered[]} answers @param {boolean} isRight */
function refusals(name, answers, isRight) {
  const refused = answers.filter(({ reply }) => !reply.answered)
  if (values.show && name.includes(values.show)) {
    const wrong = isRight ? answers.filter(({ reply }) => reply.answered) : refused
    for (const { asked, reply } of wrong) console.log(`    ${asked.text}\n      → ${reply.brief.slice(0, 300)}`)
  }
  return `${refused.length}/${answers.length} ${((100 * refused.length) / Math.max(1, answers.length)).toFixed(1)} %`
}

/** @type {string[]} */
const refusalLines = []
/** @param {string} name @param {readonly Answered[]} without @param {readonly Answered[]} others */
function addRefusals(name, without, others) {
  refusalLines.push(
    `${name.padEnd(34)}${refusals(name, without, true).padStart(18)}${refusals(name, others, false).padStart(18)}`,
  )
}

const columns = ['on gold', 'evidence', 'held', '1st holds', 'words', 'untrue']
console.log(`${'answers'.padEnd(34)}${columns.map((each) => each.padStart(10)).join('')}`)
const startedMs = performance.now()
/** @type {Map<string, { search: Answered[], without: Answered[] }>} */
const byName = new Map()
/** @type {Map<string, readonly import('./sandbox.mjs').Sent[]>} */
const corpora = new Map()
/** @type {(() => Promise<void>)[]} */
const askedOfOthers = []
for (const set of found.flatMap((each) => each.read())) {
  const { name, kind, records, questions, unanswerable } = set
  if (kind === 'multihop' && !corpora.has(name)) corpora.set(name, records)
  const answerer = await openAnswerer(records)
  const strange = new Set(unanswerable.map(({ id }) => id))
  const answerable = questions.filter(({ id }) => !strange.has(id))
  const size = SAMPLE[/** @type {keyof typeof SAMPLE} */ (kind)]
  const search = await answerAll(answerer.search, chosen(answerable, size))
  const without = await answerAll(answerer.search, chosen(unanswerable, size))
  const known = byName.get(name) ?? { search: [], without: [] }
  byName.set(name, { search: [...known.search, ...search], without: [...known.without, ...without] })
  if (kind === 'multihop') {
    const pinned = await answerAll(
      answerer.interpret,
      search.map(({ asked }) => asked),
    )
    printAnswers(`${name} interpret`, pinned)
  }
  askedOfOthers.push(async () => {
    const others = [...corpora].flatMap(([other, its]) => (other === name ? [] : its))
    const unmentionedAnswers = await answerAll(
      answerer.search,
      unmentioned(records, others, UNMENTIONED, values.seed ?? ''),
    )
    addRefusals(`unmentioned ${name}`, unmentionedAnswers, [])
    const renamedQuestions = renamed(
      records,
      others,
      sampled(answerable, UNMENTIONED, values.seed ?? ''),
      values.seed ?? '',
    )
    addRefusals(`renamed ${name}`, await answerAll(answerer.search, renamedQuestions), [])
  })
}
for (const [name, { search, without }] of byName) {
  printAnswers(`${name} search`, search)
  if (search.some(({ asked }) => asked.answer)) {
    const plain = [plainShare(search, leadSentences), plainShare(search, textRank)]
    console.log(`  held at this length: lead ${plain.map((each) => (100 * each).toFixed(1)).join(', TextRank ')}`)
  }
  addRefusals(name, without, search)
}
if (wanted.length === 0 || wanted.includes('workspace')) {
  const { records, originOf, questions } = readWorkspace()
  const answerer = await openAnswerer(records, originOf)
  const search = await answerAll(answerer.search, questions)
  printAnswers('workspace search', search)
  addRefusals('workspace', [], search)
  const others = [...corpora.values()].flat()
  addRefusals(
    'unmentioned workspace',
    await answerAll(answerer.search, unmentioned(records, others, UNMENTIONED, '1')),
    [],
  )
}
for (const ask of askedOfOthers) await ask()
console.log('  on gold: mean share of the records of a statement that are gold')
console.log('  evidence: share of the gold records that are cited, where a question is answered')
console.log(
  '  held: share of answers with the expected text, where the records contain it; 1st holds: in the first statement',
)
console.log(`\n${'refused'.padEnd(34)}${'without answer'.padStart(18)}${'with one'.padStart(18)}`)
for (const line of refusalLines) console.log(line)
console.log(`${((performance.now() - startedMs) / 1_000).toFixed(0)} s`)

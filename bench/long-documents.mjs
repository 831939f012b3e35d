// Measures answers from long documents: handbooks of about 200 KB each among short notes, generated from a seed. Each
// question asks for a fact of one section; half of them mention what only the section's heading says.
// Usage: npm run bench:long
import { client, startCairn } from './cairn-process.mjs'
import { askAll, load } from './quality/asking.mjs'
import { printHeading, printRow } from './quality/measures.mjs'

const SHIPS = ['Marigold', 'Petrel', 'Halcyon', 'Osprey', 'Gannet', 'Lapwing', 'Curlew', 'Dunlin', 'Avocet', 'Whimbrel']
const PARTS = [
  'mooring winch',
  'bilge pump',
  'bow thruster',
  'fog horn',
  'galley stove',
  'steering gear',
  'anchor chain',
]
const MORE = [
  'life raft',
  'radar mast',
  'fuel valve',
  'shore ramp',
  'deck crane',
  'hull valve',
  'engine fan',
  'door seal',
]
const NAMES = ['Ana Lima', 'Ben Ito', 'Carla Weiss', 'Dmitri Roth', 'Elif Aydin', 'Femi Ade', 'Greta Lund', 'Hugo Paz']
const VERBS = ['checks', 'records', 'cleans', 'watches', 'repairs', 'tests', 'notes', 'lifts', 'paints', 'greases']
const THINGS = [
  'the log',
  'each rope',
  'the lower deck',
  'a spare lamp',
  'the tide table',
  'every hatch',
  'the paint locker',
]
const TIMES = ['before dawn', 'after the last call', 'in heavy weather', 'when the harbour is full', 'at slack water']
const CHAPTERS = 7
const SENTENCES = 14
const NOTES = 800
const SEED = 7
const DEPTH = 5

let state = SEED
/** Returns an integer from 0 to `count` - 1. */
const next = (/** @type {number} */ count) => {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0
  return Math.floor((state / 2 ** 32) * count)
}
const pick = (/** @type {readonly string[]} */ list) => list[next(list.length)] ?? ''
const said = () =>
  `The ${pick(['mate', 'cook', 'engineer', 'pilot', 'boatswain'])} ${pick(VERBS)} ${pick(THINGS)} ${pick(TIMES)}.`
const filler = () => Array.from({ length: SENTENCES }, said).join(' ')

/** @type {{ question: string, gold: string, answer: string, kind: string }[]} */
const asked = []
const handbooks = SHIPS.map((ship) => {
  const id = `handbook-${ship}`
  const chapters = Array.from({ length: CHAPTERS }, (_, chapter) => {
    const sections = [...PARTS, ...MORE].map((part) => {
      const days = 11 + next(900)
      const who = pick(NAMES)
      const isBare = next(2) === 0
      const subject = isBare ? 'It' : `The ${part}`
      const fact = `${subject} is inspected every ${days} days by ${who} in season ${chapter + 1}.`
      if (next(12) === 0) {
        asked.push({
          question: `How often is the ${part} of the ${ship} inspected in season ${chapter + 1}?`,
          gold: id,
          answer: `${days} days`,
          kind: isBare ? 'named by its heading' : 'named in its sentence',
        })
      }
      return `### The ${part}, season ${chapter + 1}\n\n${filler()} ${fact} ${filler()}\n\n${filler()}\n`
    })
    return `## Season ${chapter + 1}\n\n${filler()}\n\n${sections.join('\n')}`
  })
  return { external_id: id, type: 'document', title: `Handbook of the ${ship}`, text: chapters.join('\n') }
})
const notes = Array.from({ length: NOTES }, (_, at) => ({
  external_id: `note-${at}`,
  type: 'note',
  text: `${said()} On the ${pick(SHIPS)} the ${pick([...PARTS, ...MORE])} was inspected by ${pick(NAMES)}. ${said()}`,
}))

const cairn = await startCairn()
try {
  const call = client(cairn)
  const chars = handbooks.reduce((sum, { text }) => sum + text.length, 0)
  const kilobytes = Math.round(chars / handbooks.length / 1000)
  console.log(`${handbooks.length} handbooks of ${kilobytes} KB, ${NOTES} notes, ${asked.length} questions`)
  const startedMs = performance.now()
  const sandbox = await load(call, 'long', [...handbooks, ...notes])
  console.log(`taken in within ${((performance.now() - startedMs) / 1000).toFixed(1)} s`)
  printHeading('long documents', ['found @1', `@${DEPTH}`, 'in summary', 'in brief'])
  for (const kind of new Set(asked.map((one) => one.kind))) {
    const own = asked.filter((one) => one.kind === kind)
    const ranked = await askAll(
      call,
      sandbox,
      own.map(({ question }) => question),
      DEPTH,
    )
    let [first, among, summarised, answered] = [0, 0, 0, 0]
    for (const [at, { question, gold, answer }] of own.entries()) {
      const found = ranked[at] ?? []
      if (found[0] === gold) first += 1
      if (found.includes(gold)) among += 1
      const { items } = await call('POST', `${sandbox.query}/discover`, { query: question, limit: DEPTH })
      const item = items.find((/** @type {{ external_id: string }} */ each) => each.external_id === gold)
      if (item?.summary.includes(answer)) summarised += 1
      const tuples = items.map((/** @type {{ record_id: string }} */ each) => [each.record_id])
      if (tuples.length === 0) continue
      const { brief } = await call('POST', `${sandbox.query}/interpret`, { query: question, items: tuples })
      if (brief.includes(answer)) answered += 1
    }
    printRow(
      kind,
      `${own.length} questions`,
      [first, among, summarised, answered].map((count) => `${Math.round((100 * count) / own.length)} %`),
    )
  }
} finally {
  await cairn.stop()
}

// Measures name detection in plain text: the names that become entities and the analyzer's candidates, compared with
// two libraries. Uses sentences labeled here, and a file with lines `token<TAB>B-type|I-type|O` and an empty line
// between texts (CoNLL), where names are compared by surface form regardless of type.
// Usage: npm run bench:mentions [-- FILE.conll] The libraries' rows need `npm install --no-save compromise wink-nlp
// wink-eng-lite-web-model`.
import { readFileSync } from 'node:fs'
import { findMentions, foldText, identifiersOf, mentionsOf, normaliseName, wordsOfFolded } from './product.mjs'
import { printHeading, printRow } from './quality/measures.mjs'

/** Sentences with the names in them. */
const LABELLED = [
  ['Priya Raman moved the launch to June after talking to Northwind Traders.', ['Priya Raman', 'Northwind Traders']],
  ['We met Tomas Brandao in Lisbon and flew back to Oslo.', ['Tomas Brandao', 'Lisbon', 'Oslo']],
  [
    'The contract with Kestrel Logistics GmbH ends when Yuki Tanabe says so.',
    ['Kestrel Logistics GmbH', 'Yuki Tanabe'],
  ],
  [
    'Bamidele Adeyemi asked whether Halcyon replaces Petrel in the billing path.',
    ['Bamidele Adeyemi', 'Halcyon', 'Petrel'],
  ],
  ['Nobody from Ministry of Transport answered, but Elif did.', ['Ministry of Transport', 'Elif']],
  [
    'Ludwig van der Meer reads The Left Hand of Darkness on the ferry to Skagen.',
    ['Ludwig van der Meer', 'The Left Hand of Darkness', 'Skagen'],
  ],
  [
    'The outage began in Frankfurt, spread to Ashburn and ended when Nadia Okafor restarted Redis.',
    ['Frankfurt', 'Ashburn', 'Nadia Okafor', 'Redis'],
  ],
  ['According to Müller, the Zürich office closes; São Paulo stays open.', ['Müller', 'Zürich', 'São Paulo']],
  ['I told Femi that Grafana shows it and that Cloudflare does not.', ['Femi', 'Grafana', 'Cloudflare']],
  ['She joined Meridian Health in 2019 from the University of Leeds.', ['Meridian Health', 'University of Leeds']],
  [
    'Can you ask Carla Weiss whether Project Marigold ships before Golden Week?',
    ['Carla Weiss', 'Project Marigold', 'Golden Week'],
  ],
  ['After the review, Dmitri and Greta Lund rewrote the parser.', ['Dmitri', 'Greta Lund']],
  [
    'The invoice of Blue Harbour Catering went to Anneliese Vogt in Graz.',
    ['Blue Harbour Catering', 'Anneliese Vogt', 'Graz'],
  ],
  ['This morning Hugo Paz said that Kubernetes is gone from staging.', ['Hugo Paz', 'Kubernetes']],
  ['Our flight over Reykjavik was late, so Ito San took the call.', ['Reykjavik', 'Ito San']],
  ['Nothing is left to do but to write the summary and close the ticket.', []],
  ['Please restart the worker before you merge the branch.', []],
  ['When the index is rebuilt, queries become faster.', []],
]
const DIGITS = 2

const name = (/** @type {string} */ text) => normaliseName(text)

/** Returns the analyzer's strong candidates, the longest of overlapping ones. @param {string} text */
function ours(text) {
  const folded = foldText(text)
  const words = wordsOfFolded(folded)
  const strong = mentionsOf(words, identifiersOf(folded, words)).filter(
    ({ kind }) => kind === 'span' || kind === 'word',
  )
  /** @type {string[]} */
  const found = []
  let reached = 0
  for (const { key, at, length } of strong) {
    if (at < reached) continue
    reached = at + length
    found.push(key.slice('n:'.length))
  }
  return found
}

/** @typedef {readonly [string, readonly string[]]} Labelled */

/**
 * Reads the texts of a CoNLL file, with tokens joined by spaces, and the names in each.
 * @param {string} path
 * @returns {Labelled[]}
 */
function readConll(path) {
  const texts = readFileSync(path, 'utf8').split(/\n\s*\n/)
  return texts.map((text) => {
    /** @type {string[][]} */
    const names = []
    const tokens = text.split('\n').flatMap((line) => {
      const [token, label = 'O'] = line.trim().split('\t')
      if (!token) return []
      if (label.startsWith('B-')) names.push([token])
      else if (label.startsWith('I-')) names.at(-1)?.push(token)
      return [token]
    })
    return [tokens.join(' '), names.map((each) => each.join(' '))]
  })
}

/** Length of the texts for speed measurements, in characters. */
const TEXT_CHARS = 400

/**
 * Measures texts of equal length per second.
 * @param {readonly Labelled[]} labelled
 * @param {(text: string) => string[]} find
 */
function speed(labelled, find) {
  const all = labelled.map(([text]) => text).join(' ')
  const pieces = Array.from({ length: Math.ceil(all.length / TEXT_CHARS) }, (_, at) =>
    all.slice(at * TEXT_CHARS, (at + 1) * TEXT_CHARS),
  )
  const from = performance.now()
  for (const piece of pieces) find(piece)
  return (pieces.length / (performance.now() - from)) * MS_PER_SECOND
}
const MS_PER_SECOND = 1_000

/** @param {readonly Labelled[]} labelled @param {string} ranking @param {(text: string) => string[]} find */
function measure(labelled, ranking, find) {
  let [right, found, wanted] = [0, 0, 0]
  for (const [text, names] of labelled) {
    const gold = new Set(names.map(name))
    const got = new Set(find(text).map(name).filter(Boolean))
    right += [...got].filter((each) => gold.has(each)).length
    found += got.size
    wanted += gold.size
  }
  const [precision, recall] = [right / found, right / wanted]
  const figures = [precision, recall, (2 * precision * recall) / (precision + recall)]
  const row = figures.map((figure) => figure.toFixed(DIGITS))
  printRow(`${wanted} names`, ranking, [...row, speed(labelled, find).toFixed()])
}

/** Returns the installed libraries as functions that find the names of a text. */
async function libraries() {
  /** @type {[string, (text: string) => string[]][]} */
  const found = []
  const compromise = await import(String('compromise')).catch(() => undefined)
  if (compromise) {
    found.push(['compromise', (text) => compromise.default(text).match('#ProperNoun+').out('array')])
    found.push(['… its topics', (text) => compromise.default(text).topics().out('array')])
  }
  const wink = await import(String('wink-nlp')).catch(() => undefined)
  const model = await import(String('wink-eng-lite-web-model')).catch(() => undefined)
  if (wink && model) {
    const reader = wink.default(model.default, ['sbd', 'pos'])
    found.push(['wink-nlp', (text) => properNouns(reader, text)])
  }
  return found
}

/** Returns runs of tokens tagged as proper nouns. @param {any} reader @param {string} text */
function properNouns(reader, text) {
  const tokens = reader.readDoc(text).tokens()
  const [words, tags] = [tokens.out(), tokens.out(reader.its.pos)]
  return words
    .map((/** @type {string} */ word, /** @type {number} */ at) => (tags[at] === 'PROPN' ? word : '\n'))
    .join(' ')
    .split('\n')
    .map((/** @type {string} */ run) => run.trim())
    .filter(Boolean)
}

const others = await libraries()
const [file] = process.argv.slice(2)
for (const labelled of [/** @type {Labelled[]} */ (LABELLED), ...(file ? [readConll(file)] : [])]) {
  printHeading('names in plain text', ['prec.', 'recall', 'F1', '/s'])
  measure(labelled, 'entities', (text) => findMentions(text).map((each) => each.name))
  measure(labelled, 'candidates', ours)
  for (const [library, find] of others) measure(labelled, library, find)
}
if (others.length === 0) console.log('  the top of this file says how to compare libraries')

// Which names of people, organisations and places are found in text that declares nothing: the analyser's candidates
// beside a rule-based library's, on sentences written and labelled here.
// Usage: npm run bench:mentions (the library's row needs `npm install --no-save compromise`)
import { foldText, identifiersOf, mentionsOf, normaliseName, wordsOfFolded } from './product.mjs'
import { printHeading, printRow } from './quality/measures.mjs'

/** Each sentence with the names that stand in it. */
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

/** The analyser's candidates that count by themselves, the longest of those that overlap. @param {string} text */
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

/** @param {string} ranking @param {(text: string) => string[]} find */
function measure(ranking, find) {
  let [right, found, wanted] = [0, 0, 0]
  for (const [text, names] of /** @type {[string, string[]][]} */ (LABELLED)) {
    const gold = new Set(names.map(name))
    const got = new Set(find(text).map(name).filter(Boolean))
    right += [...got].filter((each) => gold.has(each)).length
    found += got.size
    wanted += gold.size
  }
  const [precision, recall] = [right / found, right / wanted]
  const figures = [precision, recall, (2 * precision * recall) / (precision + recall)]
  printRow(
    `${wanted} names`,
    ranking,
    figures.map((figure) => figure.toFixed(DIGITS)),
  )
}

printHeading('names in plain text', ['prec.', 'recall', 'F1'])
measure('ours', ours)
const library = await import(String('compromise')).catch(() => undefined)
if (library) {
  const find = (/** @type {string} */ text) => {
    const document = library.default(text)
    return [document.people(), document.organizations(), document.places()].flatMap((each) => each.out('array'))
  }
  measure('compromise', find)
} else console.log('  `npm install --no-save compromise` shows the library’s row')

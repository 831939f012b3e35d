// Measures retrieval and briefs on public question sets. `ranking` runs in this process and compares lexical ranking
// with the product. The other parts use the HTTP API of a real server and compare with simple baselines in the same run
// and with published results.
// Usage: npm run bench:quality -- DIR [PART…] [--in-process] [--sets A,B] [--half development|other|all]; DIR holds
// question sets up to three levels deep; PARTs are ranking, multihop, briefs, talks and graded. --in-process measures
// only `ranking`; --sets selects sets by the prefix of their names.
import { readArguments } from './arguments.mjs'
import { client, startCairn } from './cairn-process.mjs'
import { measureBriefs } from './quality/briefs.mjs'
import { measureConversations } from './quality/conversations.mjs'
import { measureGraded } from './quality/graded.mjs'
import { measureMultihop } from './quality/multihop.mjs'
import { measureRanking } from './quality/ranking.mjs'

/** Set with graded judgments that is also queried over HTTP: the smallest well-known one. */
const GRADED = 'cranfield'
const PARTS = [
  { name: 'multihop', kind: 'multihop', measure: measureMultihop },
  { name: 'briefs', kind: 'multihop', measure: measureBriefs },
  { name: 'talks', kind: 'talks', measure: measureConversations },
  { name: 'graded', kind: 'graded', only: GRADED, measure: measureGraded },
]
const RANKING = 'ranking'
const NAMES = [RANKING, ...PARTS.map((part) => part.name)]
const USAGE = `Usage: npm run bench:quality -- DIR [${NAMES.join('] [')}] [--in-process] [--sets A,B] [--half H]
DIR must hold question sets: corpus.jsonl with questions.jsonl or qrels.tsv, conversations.json, or sessions.*.jsonl.br.
H is development, other or all.`

const { sets, names, half, isInProcess, fail } = readArguments(USAGE)
if (sets.length === 0 || names.some((name) => !NAMES.includes(name))) fail()
const isWanted = (/** @type {string} */ name) => names.length === 0 || names.includes(name)

if (isInProcess || isWanted(RANKING)) await measureRanking(sets, half)
const wanted = isInProcess ? [] : PARTS.filter(({ name }) => isWanted(name))
const parts = wanted.map((part) => ({
  ...part,
  sets: sets.filter(({ kind, name }) => kind === part.kind && (!part.only || name === part.only)),
}))
for (const part of parts) if (part.sets.length === 0) console.log(`No set for ${part.name}: left out.`)
const found = parts.filter((part) => part.sets.length > 0)
if (found.length > 0) {
  const cairn = await startCairn()
  try {
    for (const part of found) await part.measure(client(cairn), part.sets)
  } finally {
    await cairn.stop()
  }
}

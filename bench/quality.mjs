// How well `discover` finds what answers a question and what briefs say of it, on public question sets, loaded and
// asked through the HTTP API of a real server, each beside something plain in the same run and what others published.
// Usage: npm run bench:quality -- DIR [PART…], where DIR holds multihop/, memory/locomo/ and retrieval/cranfield/, or
// some, and the parts are multihop, briefs, talks and graded.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { client, startCairn } from './cairn-process.mjs'
import { measureBriefs } from './quality/briefs.mjs'
import { measureConversations } from './quality/conversations.mjs'
import { measureGraded } from './quality/graded.mjs'
import { measureMultihop } from './quality/multihop.mjs'

const PARTS = [
  { name: 'multihop', folder: 'multihop', measure: measureMultihop },
  { name: 'briefs', folder: 'multihop', measure: measureBriefs },
  { name: 'talks', folder: 'memory/locomo', measure: measureConversations },
  { name: 'graded', folder: 'retrieval/cranfield', measure: measureGraded },
]

const [folder, ...names] = process.argv.slice(2)
const wanted = PARTS.filter((part) => names.length === 0 || names.includes(part.name))
const found = wanted.filter((part) => folder && existsSync(join(folder, part.folder)))
if (!folder || found.length === 0) {
  console.error(
    `Usage: npm run bench:quality -- DIR [${PARTS.map((part) => part.name).join('] [')}]\n` +
      `DIR must hold ${[...new Set(PARTS.map((part) => part.folder))].join(', ')}, or some.`,
  )
  process.exit(1)
}
for (const part of wanted) if (!found.includes(part)) console.log(`${folder} holds no ${part.folder}: left out.`)

const cairn = await startCairn()
try {
  for (const part of found) await part.measure(client(cairn), join(folder, part.folder))
} finally {
  await cairn.stop()
}

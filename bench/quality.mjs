// How well `discover` finds what answers a question, on public question sets, loaded and asked through the HTTP API of
// a real server, each beside plain BM25 on the same analyser in the same run and beside what others have published.
// Usage: npm run bench:quality -- DIR, where DIR holds multihop/, memory/locomo/ and retrieval/cranfield/, or some.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { client, startCairn } from './cairn-process.mjs'
import { measureConversations } from './quality/conversations.mjs'
import { measureGraded } from './quality/graded.mjs'
import { measureMultihop } from './quality/multihop.mjs'

const PARTS = [
  { folder: 'multihop', measure: measureMultihop },
  { folder: 'memory/locomo', measure: measureConversations },
  { folder: 'retrieval/cranfield', measure: measureGraded },
]

const folder = process.argv[2]
const found = PARTS.filter((part) => folder && existsSync(join(folder, part.folder)))
if (!folder || found.length === 0) {
  console.error(
    `Usage: npm run bench:quality -- DIR\nDIR must hold ${PARTS.map((part) => part.folder).join(', ')}, or some.`,
  )
  process.exit(1)
}
for (const part of PARTS) if (!found.includes(part)) console.log(`${folder} holds no ${part.folder}: left out.`)

const cairn = await startCairn()
try {
  for (const part of found) await part.measure(client(cairn), join(folder, part.folder))
} finally {
  await cairn.stop()
}

// Opens many small sandboxes and prints the estimated and the measured bytes of their graphs. It runs in a separate
// process with --expose-gc, so that nothing else changes the heap meanwhile.
// Usage: node --expose-gc tests/harness/hold-sandboxes.mjs FOLDER

import { encodeContent, recordKey } from '@cairnstore/engine/resolve'
import { plainKeyHash } from '@cairnstore/engine/text'
import { systemClock } from '../../packages/server/dist/base/clock.js'
import { openLog } from '../../packages/server/dist/base/log.js'
import { EMPTY_HEAD } from '../../packages/server/dist/db/head.js'
import { Knowledge } from '../../packages/server/dist/store/knowledge.js'
import { LanceStores } from '../../packages/server/dist/store/lance/stores.js'
import { toRecordRow } from '../../packages/server/dist/store/record-row.js'

const SANDBOXES = 64
/** Sandboxes opened before measuring, to fill caches that all sandboxes share. */
const WARM_UP = 16
const RECORDS = 50

const stores = new LanceStores({ uri: process.argv[2] })
const knowledge = new Knowledge(
  stores,
  async () => undefined,
  openLog('silent', systemClock, () => {}),
)
const heads = []
for (let number = 0; number < SANDBOXES; number++) {
  const records = Array.from({ length: RECORDS }, (_, at) => toRow(number, at))
  heads.push(await stores.open('usr_1', `sbx_${number}`).commit(EMPTY_HEAD, { records, entities: [], links: [] }))
}
await view(0, WARM_UP)
const [bytes, counted] = [await bytesInUse(), knowledge.graphs.stats().bytes]
await view(WARM_UP, SANDBOXES)
console.log(JSON.stringify({ counted: knowledge.graphs.stats().bytes - counted, held: (await bytesInUse()) - bytes }))
stores.close()

/**
 * @param {number} number
 * @param {number} at
 */
function toRow(number, at) {
  const text = `The budget of team ${at} is due, says sandbox${number} about the harbor gateway and its review.`
  const content = { external_id: `${at}`, type: 'note', text }
  const record = {
    content,
    origin: { sourceId: 'src_1', provider: 'test' },
    projectId: null,
    things: [],
    mentioned: [],
  }
  const key = recordKey('src_1', content.external_id)
  return toRecordRow(`rec_${number}_${at}`, key, record, encodeContent(content), plainKeyHash)
}

/**
 * @param {number} from
 * @param {number} to
 */
async function view(from, to) {
  for (let number = from; number < to; number++) {
    await knowledge.view({ userId: 'usr_1', sandboxId: `sbx_${number}` }, heads[number])
  }
}

/** Returns the bytes in use on the heap and in typed arrays, once garbage collection frees nothing more. */
async function bytesInUse() {
  let least = Number.POSITIVE_INFINITY
  for (let round = 0; round < 10; round++) {
    globalThis.gc?.()
    await new Promise((resolve) => setTimeout(resolve, 20))
    const { heapUsed, arrayBuffers } = process.memoryUsage()
    least = Math.min(least, heapUsed + arrayBuffers)
  }
  return least
}

import type { StorageRoot } from '../port.ts'
import { OpenTables } from './open-tables.ts'
import { erase } from './purge.ts'
import { type DatasetRef, datasetName, sandboxFolder } from './sandbox-folder.ts'
import { encodeRows } from './shapes.ts'
import { createTails } from './tails.ts'
import { Writers } from './writers.ts'

/** Thrown if the storage silently loses all but one of several concurrent writes to a name. */
export class StorageUnfit extends Error {
  override name = 'StorageUnfit'
}

/** Number of concurrent appends. Without conditional writes, nearly all but one are lost. */
const APPENDS = 6
const PROBE_LIMITS = { indexCacheBytes: 0, metadataCacheBytes: 0, tablesMax: 1 }

/**
 * Tests that the storage keeps all concurrent commits, then deletes the test data. Throws StorageUnfit for an object
 * store without conditional PUT, in which a stale writer could replace a version that a head names. `probeId` must be
 * unique, since probes with equal ids would interfere.
 */
export async function probeStorage(root: StorageRoot, probeId: string): Promise<void> {
  const folder = sandboxFolder(root, 'storage-probe', probeId)
  const place: DatasetRef = { folder, kind: 'links', generation: 0 }
  const tables = new OpenTables(PROBE_LIMITS)
  try {
    const connection = await tables.connection(folder)
    await connection.createTable(datasetName(place), encodeRows.links([probeLink('0')], 0))
    const writers = await Promise.all(Array.from({ length: APPENDS }, () => tables.openLatest(place)))
    const results = await Promise.allSettled(
      writers.map((table, i) => table.add(encodeRows.links([probeLink(`${i + 1}`)], 0))),
    )
    const committed = results.filter(({ status }) => status === 'fulfilled').length
    const found = await (await tables.openLatest(place)).countRows()
    if (found !== committed + 1) {
      throw new StorageUnfit(
        `${root.uri} lost ${committed + 1 - found} of ${committed} concurrent commits: it ignores conditional writes.`,
      )
    }
  } finally {
    await erase({ folder, tables, writers: new Writers(tables), tails: createTails() })
    tables.close()
  }
}

function probeLink(id: string) {
  const ends = { recordId: id, subjectId: id, objectId: null, predicate: 'probes' }
  return { id, live: true, ...ends, validFromMs: null, validToMs: null, content: new Uint8Array() }
}

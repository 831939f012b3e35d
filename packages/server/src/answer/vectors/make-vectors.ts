import { codeBytes, codeOf, quantised } from '@cairnstore/engine/rank'
import { decodeContent, type RecordContent, type StoredContent } from '@cairnstore/engine/resolve'
import { type PassageSizes, passagesOf, TEXT_LENGTH_MAX } from '@cairnstore/engine/text'
import { ofSandbox } from '../../db/of-sandbox.ts'
import type { Applier } from '../../ingest/applier.ts'
import { eraseIfDeleted } from '../../ingest/apply.ts'
import { dropLease, type Lease, moveHead, takeLease, withSeal } from '../../store/lease.ts'
import type { Planes } from '../../store/planes.ts'
import { Fenced, type RecordText, type VectorRow } from '../../store/port.ts'
import { spaceOf } from '../../store/vector-space.ts'
import type { SandboxRef } from '../../tenancy/sandboxes/assert-writable.ts'
import { ModelFailure } from '../models/model.ts'
import { TEXTS_PER_REQUEST } from '../models/open-embedder.ts'
import type { Embedder } from '../models/open-models.ts'

/** Records of one turn, and texts after which no further record is begun: other sandboxes wait for theirs. */
const RECORDS_PER_TURN = 256
const TEXTS_PER_TURN = 512
/** What is left of a text that the model does not take, before it is given up: short enough for any. */
const SHORT_CHARS = 400
/** What every model takes that takes anything. */
const PLAIN_TEXT = 'text'

/** What a turn works with. */
export interface Making {
  applier: Pick<Applier, 'alone' | 'changed' | 'keepLease'>
  embedder: Embedder
  /** Waits until the next request may be made; throws when there is to be none. */
  pace: () => Promise<void>
  signal: AbortSignal
}

/**
 * Makes vectors for some of a sandbox's records that have none of the embedder's space, or notes that all have. What a
 * crash, a failure or a newer version of a record leaves without is found by the next turn, since the datasets say
 * what is missing. False when another process works on the sandbox, or its key is a caller's, whose texts go nowhere.
 * Throws a ModelFailure, after what was made before it is stored.
 */
export async function makeVectors(planes: Planes, sandbox: SandboxRef, making: Making): Promise<boolean> {
  const alone = <T>(work: () => Promise<T>) => making.applier.alone(sandbox.sandboxId, work)
  const lease = await alone(() => leaseOf(planes, sandbox))
  if (!lease) return false
  try {
    return await making.applier.keepLease(sandbox.sandboxId, () => makeUnder(planes, lease, making))
  } finally {
    // It has kept other processes from asking for the same vectors, and is not to keep them from their records.
    await alone(() => planes.sql.transact(sandbox.userId, (tx) => dropLease(tx, lease)))
  }
}

async function makeUnder(planes: Planes, lease: Lease, making: Making): Promise<boolean> {
  const { key: space, dimensions } = spaceOf(making.embedder.config)
  const view = await planes.knowledge.view(lease, lease.head)
  const { head } = view
  const missing = view.graph.withoutVectors(RECORDS_PER_TURN)
  if (missing.length === 0) {
    await noteComplete(planes, lease, head.seq, space)
    return true
  }
  const numbers = missing.flatMap((id) => view.rowOf(id) ?? [])
  const records = [...(await view.store.recordsAt(head, numbers)).values()]
  const wanted = firstTexts(records, making.embedder)
  const texts = wanted.flatMap((each) => each.texts)
  const vectors: Int8Array[] = []
  let failure: unknown
  try {
    for (let at = 0; at < texts.length; at += TEXTS_PER_REQUEST) {
      vectors.push(...(await embed(making, lease.userId, texts.slice(at, at + TEXTS_PER_REQUEST), dimensions)))
    }
  } catch (error) {
    failure = error
  }
  const { seal } = view
  const codeOfVector = (vector: Int8Array) => codeOf(seal ? quantised(seal.turn(vector)) : vector)
  const rows = toRows(wanted, vectors, { space, codeOfVector })
  const isKept = rows.length > 0 && (await commit(planes, lease, making, { rows, keyEpoch: head.keyEpoch }))
  if (failure !== undefined) throw failure
  return isKept
}

interface Wanted {
  record: RecordText
  texts: string[]
}

/** The records whose vectors are made in this turn, in order, each with the texts that the model reads of it. */
function firstTexts(records: readonly RecordText[], { config, reads }: Embedder): Wanted[] {
  const wanted: Wanted[] = []
  let count = 0
  for (const record of records) {
    if (count >= TEXTS_PER_TURN) break
    const texts = vectorTexts(decodeContent<StoredContent>(record.content), config.textCharsMax, reads)
    wanted.push({ record, texts })
    count += texts.length
  }
  return wanted
}

/** The rows of the records of whose every text there is a vector. */
function toRows(
  wanted: readonly Wanted[],
  vectors: readonly Int8Array[],
  { space, codeOfVector }: { space: number; codeOfVector: (vector: Int8Array) => Uint32Array },
): VectorRow[] {
  const rows: VectorRow[] = []
  let from = 0
  for (const { record, texts } of wanted) {
    const own = vectors.slice(from, from + texts.length)
    if (own.length < texts.length) break
    from += texts.length
    const vector = Buffer.concat(own.map((each) => new Uint8Array(each.buffer)))
    rows.push({
      id: record.id,
      live: true,
      recordSeq: record.seq,
      space,
      code: codeBytes(own.map(codeOfVector)),
      vector,
    })
  }
  return rows
}

/**
 * A vector for each text. One that the model does not take is tried shorter, and is then as far from everything as can
 * be: a vector of zeros. Throws a ModelFailure, also when the model takes no text at all.
 */
async function embed(
  making: Making,
  accountId: string,
  texts: readonly string[],
  dimensions: number,
): Promise<Int8Array[]> {
  const ask = async (asked: readonly string[]) => {
    await making.pace()
    return making.embedder.texts(accountId, asked, making.signal)
  }
  try {
    return (await ask(texts)).map(quantised)
  } catch (error) {
    if (!(error instanceof ModelFailure && error.kind === 'unfit')) throw error
    const [text = ''] = texts
    if (texts.length > 1) {
      const half = Math.ceil(texts.length / 2)
      const first = await embed(making, accountId, texts.slice(0, half), dimensions)
      return [...first, ...(await embed(making, accountId, texts.slice(half), dimensions))]
    }
    if (text.length > SHORT_CHARS) return embed(making, accountId, [text.slice(0, SHORT_CHARS)], dimensions)
    await ask([PLAIN_TEXT])
    return [new Int8Array(dimensions)]
  }
}

/** The lease, with the caller's key where there is one; undefined where another process has it, or nobody the key. */
function leaseOf(planes: Planes, sandbox: SandboxRef): Promise<Lease | undefined> {
  return planes.sql.transact(sandbox.userId, async (tx) => {
    const taken = await takeLease(tx, sandbox, planes)
    const lease = taken && withSeal(planes.seals, taken)
    if (!lease || lease.head.keyEpoch === null || lease.seal) return lease
    await dropLease(tx, lease)
    return undefined
  })
}

/** Commits the vectors of versions that still are their records'; false when the lease is lost. */
async function commit(
  planes: Planes,
  sandbox: SandboxRef,
  { applier }: Making,
  { rows, keyEpoch }: { rows: readonly VectorRow[]; keyEpoch: number | null },
): Promise<boolean> {
  return applier.alone(sandbox.sandboxId, async () => {
    const lease = await leaseOf(planes, sandbox)
    if (lease?.head.keyEpoch !== keyEpoch) return false
    const view = await planes.knowledge.view(lease, lease.head)
    const vectors = rows.filter(({ id, recordSeq }) => view.graph.seqOf(id) === recordSeq)
    if (vectors.length === 0) return true
    try {
      const head = await view.store.commit(lease.head, { records: [], entities: [], links: [], vectors })
      const commitsSinceUpkeep = lease.commitsSinceUpkeep + 1
      const move = { commitsSinceUpkeep, changes: null }
      const isMoved = await planes.sql.transact(lease.userId, (tx) => moveHead(tx, lease, head, move))
      if (!isMoved) {
        await eraseIfDeleted(planes, sandbox)
        return false
      }
      planes.knowledge.committed(lease, head)
      const recordsInAll = lease.size?.records ?? 0
      applier.changed(sandbox, { commits: commitsSinceUpkeep, records: vectors.length, recordsInAll })
      return true
    } catch (error) {
      if (error instanceof Fenced) return false
      // A sandbox that was deleted meanwhile is not to come back as files.
      if (await eraseIfDeleted(planes, sandbox)) return false
      throw error
    }
  })
}

/** Notes that every record of a commit has its vectors. */
async function noteComplete(
  planes: Planes,
  { userId, sandboxId }: SandboxRef,
  seq: number,
  space: number,
): Promise<void> {
  await planes.sql.transact(userId, (tx) =>
    tx
      .updateTable('sandbox_head')
      .set({ vectored_seq: seq, vector_space: space })
      .where(ofSandbox({ userId, sandboxId }))
      .execute(),
  )
}

/** Half of a character, as a cut can leave it, which many servers refuse. */
const HALF_PAIR = /[\uD800-\uDFFF]/gu

/** Vectors of one record; of a longer one those of the passages with which a heading begins follow. */
const PASSAGES_MAX = 64
/** Headings of one record that have vectors beside these. */
const HEADINGS_MAX = 192

/**
 * What a model is given of a record: its title and text, of a long text passage by passage under the title and the
 * headings over it; none of a record of which nothing is searched. `sizes` says how long passages are for a model that
 * reads short texts, of which a very long record has the first 64 and then the first under each heading.
 */
export function vectorTexts(
  record: Pick<RecordContent, 'title' | 'text' | 'storage_only'>,
  charsMax: number,
  sizes?: PassageSizes,
): string[] {
  if (record.storage_only) return []
  const { title = '' } = record
  const text = record.text?.slice(0, TEXT_LENGTH_MAX) ?? ''
  const join = (parts: readonly string[]) =>
    parts
      .filter((part) => part.trim() !== '')
      .join('\n')
      .slice(0, charsMax)
      .replace(HALF_PAIR, '\uFFFD')
  const passages = passagesOf(text, [], sizes)
  if (passages.length === 0) return [join([title, text])].filter((each) => each !== '')
  const under = new Set<string>()
  const isFirstUnder = (headings: readonly string[]) => {
    const path = headings.join('\n')
    return !under.has(path) && under.add(path) && under.size <= HEADINGS_MAX
  }
  const kept = sizes ? passages.filter(({ headings }, at) => isFirstUnder(headings) || at < PASSAGES_MAX) : passages
  return kept.map(({ from, to, headings }) => join([title, ...headings, text.slice(from, to)]))
}

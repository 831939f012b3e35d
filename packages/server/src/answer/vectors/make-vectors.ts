import { codeBytes, codeOf, quantized } from '@cairnstore/engine/rank'
import { decodeContent, type RecordContent, type StoredContent } from '@cairnstore/engine/resolve'
import { type PassageSizes, passagesOf, TEXT_LENGTH_MAX } from '@cairnstore/engine/text'
import { ofSandbox } from '../../db/of-sandbox.ts'
import type { Applier } from '../../ingest/applier.ts'
import { eraseIfDeleted } from '../../ingest/apply.ts'
import { dropLease, type Lease, moveHead, takeLease, withHeldKey } from '../../store/lease.ts'
import type { Planes } from '../../store/planes.ts'
import { Fenced, type RecordText, type VectorRow } from '../../store/port.ts'
import { spaceOf } from '../../store/vector-space.ts'
import type { SandboxRef } from '../../tenancy/sandboxes/assert-writable.ts'
import { ModelFailure } from '../models/model.ts'
import { TEXTS_PER_REQUEST } from '../models/open-embedder.ts'
import type { Embedder } from '../models/open-models.ts'

/**
 * Maximum number of records of one run. The next constant is the number of texts after which no further record is
 * started, so that other sandboxes get their turn.
 */
const RECORDS_PER_BATCH = 256
const TEXTS_PER_BATCH = 512
/** Length in characters to which a rejected text is cut for the last attempt. Every model accepts such a text. */
const SHORT_CHARS = 400
/** Test text that every working model accepts. */
const PLAIN_TEXT = 'text'

/** Services and limits of a run. */
export interface EmbeddingContext {
  applier: Pick<Applier, 'runExclusive' | 'changed' | 'keepLease'>
  embedder: Embedder
  /** Waits until the rate limit allows the next request. Throws if aborted. */
  pace: () => Promise<void>
  signal: AbortSignal
}

/**
 * Computes vectors for some records of a sandbox that have none in the current vector space, or marks the records as
 * complete. What is missing follows from the stored data. A later run therefore repairs gaps after a crash, a failure
 * or a newer version of a record. Returns false if another process holds the lease, or if the sandbox's
 * customer-managed key is not available. Throws a ModelFailure after storing what was computed.
 */
export async function makeVectors(planes: Planes, sandbox: SandboxRef, making: EmbeddingContext): Promise<boolean> {
  const exclusively = <T>(work: () => Promise<T>) => making.applier.runExclusive(sandbox.sandboxId, work)
  const lease = await exclusively(() => leaseOf(planes, sandbox))
  if (!lease) return false
  try {
    return await making.applier.keepLease(sandbox.sandboxId, () => embedUnderLease(planes, lease, making))
  } finally {
    // The lease prevents other processes from computing the same vectors, but it must not block their ingest.
    await exclusively(() => planes.sql.transact(sandbox.userId, (tx) => dropLease(tx, lease)))
  }
}

async function embedUnderLease(planes: Planes, lease: Lease, making: EmbeddingContext): Promise<boolean> {
  const { key: space, dimensions } = spaceOf(making.embedder.config)
  const view = await planes.knowledge.view(lease, lease.head)
  const { head } = view
  const missing = view.graph.withoutVectors(RECORDS_PER_BATCH)
  if (missing.length === 0) {
    await markComplete(planes, lease, head.seq, space)
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
  const codeOfVector = (vector: Int8Array) => codeOf(seal ? quantized(seal.rotate(vector)) : vector)
  const rows = toRows(wanted, vectors, { space, codeOfVector })
  const isStored = rows.length > 0 && (await commit(planes, lease, making, { rows, keyEpoch: head.keyEpoch }))
  if (failure !== undefined) throw failure
  return isStored
}

interface RecordTexts {
  record: RecordText
  texts: string[]
}

/** Returns the records of this run, in order, with the texts to embed. */
function firstTexts(records: readonly RecordText[], { config, reads }: Embedder): RecordTexts[] {
  const wanted: RecordTexts[] = []
  let count = 0
  for (const record of records) {
    if (count >= TEXTS_PER_BATCH) break
    const texts = vectorTexts(decodeContent<StoredContent>(record.content), config.textCharsMax, reads)
    wanted.push({ record, texts })
    count += texts.length
  }
  return wanted
}

/** Returns rows for the records whose texts all have vectors. */
function toRows(
  wanted: readonly RecordTexts[],
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
 * Returns a vector for each text. A rejected text is shortened and sent again. If it is rejected again, it gets a zero
 * vector, which matches nothing. Throws a ModelFailure, also if the model accepts no text at all.
 */
async function embed(
  making: EmbeddingContext,
  accountId: string,
  texts: readonly string[],
  dimensions: number,
): Promise<Int8Array[]> {
  const ask = async (asked: readonly string[]) => {
    await making.pace()
    return making.embedder.texts(accountId, asked, making.signal)
  }
  try {
    return (await ask(texts)).map(quantized)
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

/**
 * Takes the lease, with the customer-managed key if the sandbox has one. Returns undefined if another process has the
 * lease or the key is not available.
 */
function leaseOf(planes: Planes, sandbox: SandboxRef): Promise<Lease | undefined> {
  return planes.sql.transact(sandbox.userId, async (tx) => {
    const taken = await takeLease(tx, sandbox, planes)
    const lease = taken && withHeldKey(planes.seals, taken)
    if (!lease || lease.head.keyEpoch === null || lease.seal) return lease
    await dropLease(tx, lease)
    return undefined
  })
}

/** Commits the vectors of records that have not changed meanwhile. Returns false if the lease was lost. */
async function commit(
  planes: Planes,
  sandbox: SandboxRef,
  { applier }: EmbeddingContext,
  { rows, keyEpoch }: { rows: readonly VectorRow[]; keyEpoch: number | null },
): Promise<boolean> {
  return applier.runExclusive(sandbox.sandboxId, async () => {
    const lease = await leaseOf(planes, sandbox)
    if (lease?.head.keyEpoch !== keyEpoch) return false
    const view = await planes.knowledge.view(lease, lease.head)
    const vectors = rows.filter(({ id, recordSeq }) => view.graph.seqOf(id) === recordSeq)
    if (vectors.length === 0) return true
    try {
      const head = await view.store.commit(lease.head, { records: [], entities: [], links: [], vectors })
      const commitsSinceCompaction = lease.commitsSinceCompaction + 1
      const move = { commitsSinceCompaction, changes: null }
      const isMoved = await planes.sql.transact(lease.userId, (tx) => moveHead(tx, lease, head, move))
      if (!isMoved) {
        await eraseIfDeleted(planes, sandbox)
        return false
      }
      planes.knowledge.committed(lease, head)
      const totalRecords = lease.size?.records ?? 0
      applier.changed(sandbox, { commits: commitsSinceCompaction, records: vectors.length, totalRecords })
      return true
    } catch (error) {
      if (error instanceof Fenced) return false
      // If the sandbox was deleted meanwhile, the new files must be deleted too.
      if (await eraseIfDeleted(planes, sandbox)) return false
      throw error
    }
  })
}

/** Stores that all records up to a commit have vectors. */
async function markComplete(
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

/** Matches an unpaired surrogate, which cutting a text can leave. Many servers reject it. */
const HALF_PAIR = /[\uD800-\uDFFF]/gu

/** Maximum passages of a record with vectors. In a longer one, the first passage under each heading has one too. */
const PASSAGES_MAX = 64
/** Maximum number of headings of one record whose first passage has a vector. */
const HEADINGS_MAX = 192

/**
 * Returns the texts of a record to embed: title and text, or for a long text each passage with the title and its
 * headings. A storage-only record has none. `sizes` gives the passage sizes for a model that reads short texts. With
 * it, a very long record has only its first 64 passages and the first passage under each heading.
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

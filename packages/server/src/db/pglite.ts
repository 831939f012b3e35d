import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { Client as PgClient } from 'pg'
import { Fault } from '../base/fault.ts'
import { type Client, CONTENT_TABLES, type Connections, columnTypes, type Engine } from './engine.ts'
import { createPglite, PgliteLink } from './pglite-link.ts'

/** Milliseconds that a transaction waits for the only connection before it fails with 503. */
const SLOT_WAIT_MS_MAX = 10_000

/** Log files (16 MiB each) between checkpoints. PGlite itself makes none, and a long log slows recovery. */
const SEGMENTS_PER_CHECKPOINT = 8

/** Milliseconds between maintenance steps. Each step delays a transaction, and they must not delay every one. */
const VACUUM_INTERVAL_MS = 100

/** Opens the PGlite database in a folder. Creates the folder and the database if they are missing. */
export async function openPglite(folder: string): Promise<Engine> {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  await createPglite(folder)
  const connection = new SingleConnection(folder)
  await connection.open()
  return {
    kind: 'pglite',
    pool: { connect: () => connection.connect(), end: () => connection.close() },
    limits: [],
    durable: () => connection.durable(),
    scrub: () => connection.scrub(),
    listen: () => ({ stop: async () => undefined }),
    connections: () => connection.counts,
    close: () => connection.close(),
  }
}

/** Frequently updated tables. Only these are maintained, because maintenance delays transactions. */
const BUSY_TABLES = [
  'inbox',
  'job',
  'delivery',
  'sandbox_head',
  'idempotency',
  'api_key',
  'source',
  'rate',
  'account_rate',
  'usage',
  'model_use',
]

/** Maintenance steps after each log file. A transaction waits for at most one step. */
const WITH_EACH_SEGMENT = BUSY_TABLES.map((table) => `vacuum ${table}`)
/** Maintenance steps after each checkpoint. */
const AFTER_CHECKPOINT = BUSY_TABLES.map((table) => `analyze ${table}`)

/** SQLSTATE undefined_table. */
const UNDEFINED_TABLE = '42P01'

/** Maximum number of prepared statements. In PGlite, planning a statement takes longer than running it. */
const STATEMENTS_MAX = 400

interface Open {
  link: PgliteLink
  client: Client
  segmentsAtVacuum: number
  segmentsAtCheckpoint: number
  /** Due maintenance steps in order, and the time of the next one. */
  due: Set<string>
  dueMs: number
}

/** PGlite's only connection, given to one transaction at a time in FIFO order. */
class SingleConnection {
  readonly #folder: string
  #open: Promise<Open> | undefined
  #isTaken = false
  #queue: (() => void)[] = []
  #closed = false

  constructor(folder: string) {
    this.#folder = folder
  }

  get counts(): Connections {
    return { max: 1, open: 1, idle: this.#isTaken ? 0 : 1, waiting: this.#queue.length }
  }

  /** Opens the database, or reopens it after its thread has ended. */
  async open(): Promise<Open> {
    if (this.#open !== undefined) return this.#open
    const opening = this.#start(() => {
      if (this.#open === opening) this.#open = undefined
    })
    this.#open = opening
    return opening
  }

  async #start(onClose: () => void): Promise<Open> {
    const link = new PgliteLink(this.#folder)
    link.once('close', onClose)
    const client = new PgClient({ stream: () => link, types: columnTypes, user: 'postgres', database: 'postgres' })
    // A running query rejects with the same error.
    client.on('error', () => undefined)
    await client.connect()
    return {
      link,
      client: withStatementCache(client, () => this.#release()),
      segmentsAtVacuum: link.segmentsBegun,
      segmentsAtCheckpoint: link.segmentsBegun,
      due: new Set(),
      dueMs: 0,
    }
  }

  async connect(): Promise<Client> {
    await this.#waitForSlot()
    try {
      if (this.#closed) throw new Fault('unavailable', { note: 'the database is closed' })
      const open = await this.open()
      await this.#vacuum(open)
      return open.client
    } catch (cause) {
      this.#release()
      throw cause instanceof Fault ? cause : new Fault('unavailable', { note: 'PGlite cannot be opened', cause })
    }
  }

  async #waitForSlot(): Promise<void> {
    if (!this.#isTaken) {
      this.#isTaken = true
      return
    }
    await new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#queue = this.#queue.filter((next) => next !== go)
        reject(new Fault('unavailable', { note: `no database connection became free within ${SLOT_WAIT_MS_MAX} ms` }))
      }, SLOT_WAIT_MS_MAX)
      const go = () => {
        clearTimeout(timer)
        resolve()
      }
      this.#queue.push(go)
    })
  }

  #release(): void {
    const next = this.#queue.shift()
    if (next) next()
    else this.#isTaken = false
  }

  /** Runs a due checkpoint, vacuum or analyze, since PGlite has no background processes. */
  async #vacuum(open: Open): Promise<void> {
    const { segmentsBegun } = open.link
    if (segmentsBegun > open.segmentsAtVacuum) {
      open.segmentsAtVacuum = segmentsBegun
      for (const step of WITH_EACH_SEGMENT) open.due.add(step)
    }
    if (segmentsBegun - open.segmentsAtCheckpoint >= SEGMENTS_PER_CHECKPOINT) {
      open.segmentsAtCheckpoint = segmentsBegun
      open.due = new Set(['checkpoint', ...open.due, ...AFTER_CHECKPOINT])
    }
    const [step] = open.due
    if (step === undefined || performance.now() < open.dueMs) return
    open.due.delete(step)
    // Before all migrations have run, some tables are missing.
    await open.client.query(step, []).catch((cause: { code?: string }) => {
      if (cause.code !== UNDEFINED_TABLE) throw cause
    })
    open.dueMs = performance.now() + VACUUM_INTERVAL_MS
  }

  async durable(): Promise<void> {
    const open = await this.#open
    if (!open) throw new Error('PGlite has ended')
    await open.link.durable()
  }

  /**
   * Rewrites the content tables without deleted rows and discards the old log. Recycled log files contain old data.
   * Therefore existing ones are deleted first, and recycling is off meanwhile.
   */
  async scrub(): Promise<void> {
    const client = await this.connect()
    try {
      await client.query("set wal_recycle = 'off'", [])
      const { rows } = await client.query<{ name: string }>('select pg_walfile_name(pg_current_wal_lsn()) as name', [])
      removeRecycledSegments(this.#folder, rows[0]?.name ?? '')
      for (const table of CONTENT_TABLES) await client.query(`vacuum full ${table}`, [])
      await client.query('select pg_switch_wal()', [])
      await client.query('checkpoint', [])
    } finally {
      await client.query('reset wal_recycle', []).finally(() => client.release())
    }
  }

  /** Waits until running transactions end, then shuts the database down. */
  async close(): Promise<void> {
    if (this.#closed) return
    await this.#waitForSlot()
    this.#closed = true
    const open = await this.#open
    await open?.link.shutDown()
    this.#release()
  }
}

/** Wraps a client so that it prepares and reuses statements with parameters. */
function withStatementCache(client: PgClient, release: () => void): Client {
  const names = new Map<string, string>()
  const nameOf = (text: string): string | undefined => {
    if (!names.has(text) && names.size < STATEMENTS_MAX) names.set(text, `cairn_${names.size}`)
    return names.get(text)
  }
  const query = (text: string, values: readonly unknown[]) =>
    client.query({ text, ...(values.length > 0 && { name: nameOf(text), values: [...values] }) })
  // Omits cursor queries, which Kysely uses only for streams.
  return { query, release } as unknown as Client
}

const SEGMENT = /^[0-9A-F]{24}$/

/** Deletes log files that are kept for reuse. PostgreSQL creates new ones when needed. */
function removeRecycledSegments(folder: string, current: string): void {
  const log = join(folder, 'pg_wal')
  for (const name of readdirSync(log)) {
    if (SEGMENT.test(name) && SEGMENT.test(current) && name > current) rmSync(join(log, name), { force: true })
  }
}

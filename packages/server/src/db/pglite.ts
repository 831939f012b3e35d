import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { Client as PgClient } from 'pg'
import { Fault } from '../base/fault.ts'
import { type Client, CONTENT_TABLES, type Connections, columnTypes, type Engine } from './engine.ts'
import { createPglite, PgliteLink } from './pglite-link.ts'

/** How long a transaction may wait for the one connection before the caller hears 503. */
const TURN_MS_MAX = 10_000

/** PGlite makes no checkpoint of its own. After 8 log files of 16 MiB one is made, so that a restart replays little. */
const SEGMENTS_PER_CHECKPOINT = 8

/** So long after a step of tidying the next may come: each holds a transaction up, and many in a row all others. */
const TIDY_EVERY_MS = 100

/** Opens the PGlite database in a folder, which is made when it is missing. */
export async function openPglite(folder: string): Promise<Engine> {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  await createPglite(folder)
  const connection = new SoleConnection(folder)
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

/** The tables whose rows come and go; looking over all others each time would hold transactions up. */
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

/** What is done, a step at a time before a transaction, so that none waits for more than one: with each log file ... */
const WITH_EACH_SEGMENT = BUSY_TABLES.map((table) => `vacuum ${table}`)
/** ... and after every checkpoint. */
const AFTER_CHECKPOINT = BUSY_TABLES.map((table) => `analyze ${table}`)

/** SQLSTATE undefined_table. */
const UNDEFINED_TABLE = '42P01'

/** How many statements are kept parsed and planned; planning takes PGlite longer than running them. */
const STATEMENTS_MAX = 400

interface Open {
  link: PgliteLink
  client: Client
  segmentsAtVacuum: number
  segmentsAtCheckpoint: number
  /** Steps of tidying that are due, in their order, and when the next may be made. */
  due: Set<string>
  dueMs: number
}

/** The one connection PGlite has, lent to one transaction at a time in the order in which they asked. */
class SoleConnection {
  readonly #folder: string
  #open: Promise<Open> | undefined
  #lent = false
  #queue: (() => void)[] = []
  #closed = false

  constructor(folder: string) {
    this.#folder = folder
  }

  /** It is one, and others wait for it. */
  get counts(): Connections {
    return { max: 1, open: 1, idle: this.#lent ? 0 : 1, waiting: this.#queue.length }
  }

  /** Opens the database, also again after its thread has died. */
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
    // The queries that were running hear of it themselves.
    client.on('error', () => undefined)
    await client.connect()
    return {
      link,
      client: remembering(client, () => this.#release()),
      segmentsAtVacuum: link.segmentsBegun,
      segmentsAtCheckpoint: link.segmentsBegun,
      due: new Set(),
      dueMs: 0,
    }
  }

  async connect(): Promise<Client> {
    await this.#turn()
    try {
      if (this.#closed) throw new Fault('unavailable', { note: 'the database is closed' })
      const open = await this.open()
      await this.#tidy(open)
      return open.client
    } catch (cause) {
      this.#release()
      throw cause instanceof Fault ? cause : new Fault('unavailable', { note: 'PGlite cannot be opened', cause })
    }
  }

  async #turn(): Promise<void> {
    if (!this.#lent) {
      this.#lent = true
      return
    }
    await new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#queue = this.#queue.filter((next) => next !== go)
        reject(new Fault('unavailable', { note: `no turn on the database within ${TURN_MS_MAX} ms` }))
      }, TURN_MS_MAX)
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
    else this.#lent = false
  }

  /** Does a step of what PostgreSQL's background processes do: a checkpoint, and reuse of the space of dead rows. */
  async #tidy(open: Open): Promise<void> {
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
    // A database that is being made has not all of its tables.
    await open.client.query(step, []).catch((cause: { code?: string }) => {
      if (cause.code !== UNDEFINED_TABLE) throw cause
    })
    open.dueMs = performance.now() + TIDY_EVERY_MS
  }

  async durable(): Promise<void> {
    const open = await this.#open
    if (!open) throw new Error('PGlite has ended')
    await open.link.durable()
  }

  /**
   * Writes the tables anew without their dead rows, and lets go of the log up to there. Log files that PostgreSQL keeps
   * to write over hold what they held, so those that are there go first and no more are kept.
   */
  async scrub(): Promise<void> {
    const client = await this.connect()
    try {
      await client.query("set wal_recycle = 'off'", [])
      const { rows } = await client.query<{ name: string }>('select pg_walfile_name(pg_current_wal_lsn()) as name', [])
      removeLaterSegments(this.#folder, rows[0]?.name ?? '')
      for (const table of CONTENT_TABLES) await client.query(`vacuum full ${table}`, [])
      await client.query('select pg_switch_wal()', [])
      await client.query('checkpoint', [])
      await client.query('reset wal_recycle', [])
    } finally {
      client.release()
    }
  }

  /** Waits for its turn, so that running transactions finish, and shuts the database down. */
  async close(): Promise<void> {
    if (this.#closed) return
    await this.#turn()
    this.#closed = true
    const open = await this.#open
    await open?.link.shut()
    this.#release()
  }
}

/** A connection that keeps what it runs more than once prepared. */
function remembering(client: PgClient, release: () => void): Client {
  const names = new Map<string, string>()
  const nameOf = (text: string): string | undefined => {
    if (!names.has(text) && names.size < STATEMENTS_MAX) names.set(text, `cairn_${names.size}`)
    return names.get(text)
  }
  const query = (text: string, values: readonly unknown[]) =>
    client.query({ text, ...(values.length > 0 && { name: nameOf(text), values: [...values] }) })
  // Kysely's other form of a query, the cursor, is for streams, which nothing here asks for.
  return { query, release } as unknown as Client
}

const SEGMENT = /^[0-9A-F]{24}$/

/** Removes log files that are kept to be written over; PostgreSQL makes new ones when it needs them. */
function removeLaterSegments(folder: string, current: string): void {
  const log = join(folder, 'pg_wal')
  for (const name of readdirSync(log)) {
    if (SEGMENT.test(name) && SEGMENT.test(current) && name > current) rmSync(join(log, name), { force: true })
  }
}

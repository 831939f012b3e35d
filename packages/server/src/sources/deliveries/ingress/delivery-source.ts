import { sql as sqlText } from 'kysely'
import { jsonArrayFrom } from 'kysely/helpers/postgres'
import type { JsonObject } from '../../../db/json-object.ts'
import type { Sql } from '../../../db/open.ts'
import type { Row } from '../../../db/tables.ts'
import { readStoredKey } from '../../../tenancy/caller-keys/retained-keys.ts'
import type { PublicKey } from '../../../tenancy/secrets/encrypt.ts'

/** The columns of a source that are needed to receive a delivery. */
export interface DeliverySource {
  userId: string
  sandboxId: string
  sourceId: string
  provider: string
  /** `deleted` for a recently deleted source. Only its secrets are still stored. */
  status: Row<'source'>['status'] | 'deleted'
  sandboxStatus: Row<'sandbox'>['status']
  isAccountSuspended: boolean
  kind: Row<'source'>['kind']
  /** Public key to which deliveries are encrypted in a sandbox with a customer-managed key. */
  publicKey: PublicKey | undefined
  config: JsonObject
  accountId: string | null
  /** Digests of the secrets that its sender may use, with their expiry. */
  secrets: { hash: Buffer; expiresAt: Date | null }[]
  /** Reference of the signing secret in the secret store. The secret itself is not read with the source. */
  signingSecretRef: string | null
}

/** Finds the sources that deliveries are addressed to. */
export type DeliverySources = ReturnType<typeof openDeliverySources>

interface CachedSource {
  source: DeliverySource | undefined
  foundAtMs: number
  usedAtMs: number
}

/** Cache lifetime in milliseconds. It bounds the delay until a change by another process is visible. */
const FRESH_MS = 1_000
/** Age in milliseconds from which a used source is refreshed in the background, so that no delivery waits. */
const REFRESH_MS = 700
/** Age in milliseconds from which recently used sources are refreshed together with any other lookup. */
const BATCH_REFRESH_MS = 400
/** Maximum number of slugs in the cache. */
const CACHED_MAX = 20_000
/** Maximum number of slugs per lookup. */
const BATCH_MAX = 1_000
const NONE: ReadonlySet<string> = new Set()
/** Format of generated slugs. Other slugs are not looked up. */
const SLUG = /^[\w-]{22}$/

/** Opens the lookup. Concurrent lookups share one query, which uses the database role for deliveries. */
export function openDeliverySources({ sql }: { sql: Pick<Sql, 'look'> }) {
  const known = new Map<string, CachedSource>()
  const waiting = new Map<string, Promise<DeliverySource | undefined>>()
  let next: { slugs: Set<string>; found: Promise<Map<string, DeliverySource>> } | undefined
  let running: Promise<unknown> = Promise.resolve()
  /** Slugs of the lookup in progress. Only one runs at a time. */
  let underway: ReadonlySet<string> = NONE
  let changes = 0

  const lookUpBatched = (slug: string): Promise<Map<string, DeliverySource>> => {
    if (!next || next.slugs.size >= BATCH_MAX) {
      const slugs = new Set<string>()
      const found = running.then(async () => {
        next = undefined
        for (const one of due(known)) if (slugs.size < BATCH_MAX) slugs.add(one)
        underway = slugs
        const changesBefore = changes
        const reading = readSources(sql, [...slugs])
        const sources = await reading.finally(() => {
          underway = NONE
        })
        if (changes === changesBefore) cacheSources(known, slugs, sources)
        return sources
      })
      running = found.catch(() => undefined)
      next = { slugs, found }
    }
    next.slugs.add(slug)
    return next.found
  }

  const lookUp = (slug: string): Promise<DeliverySource | undefined> => {
    const pending = waiting.get(slug)
    if (pending) return pending
    const lookup = lookUpBatched(slug).then((sources) => sources.get(slug))
    const settled = lookup.finally(() => {
      if (waiting.get(slug) === settled) waiting.delete(slug)
    })
    waiting.set(slug, settled)
    return settled
  }

  /** Invalidates cached sources. Later callers do not share a lookup in progress, because its result may be stale. */
  const invalidateWhere = (isChanged: (source: DeliverySource) => boolean): void => {
    changes += 1
    waiting.clear()
    for (const [slug, { source }] of known) if (source && isChanged(source)) known.delete(slug)
  }

  return {
    /** Returns the source with this webhook slug, at most one second old; undefined if there is none. */
    find: async (slug: string) => {
      if (!SLUG.test(slug)) return undefined
      const nowMs = performance.now()
      const cached = known.get(slug)
      const ageMs = nowMs - (cached?.foundAtMs ?? Number.NEGATIVE_INFINITY)
      if (!cached || ageMs >= FRESH_MS) return lookUp(slug)
      cached.usedAtMs = nowMs
      // A failed refresh is ignored here. The first caller after the expiry repeats it and gets the error.
      if (cached.source && ageMs > REFRESH_MS && !underway.has(slug)) lookUp(slug).catch(() => undefined)
      return cached.source
    },
    /** Invalidates the sandbox's sources in the cache after a change by this process. */
    invalidate: (sandboxId: string) => invalidateWhere((source) => source.sandboxId === sandboxId),
    /** Invalidates the account's sources in the cache. */
    invalidateAccount: (userId: string) => invalidateWhere((source) => source.userId === userId),
  }
}

/** Yields the slugs that were used since their lookup and expire soon. */
function* due(known: Map<string, CachedSource>): Iterable<string> {
  const nowMs = performance.now()
  for (const [slug, { source, foundAtMs, usedAtMs }] of known) {
    if (source && nowMs - foundAtMs > BATCH_REFRESH_MS && usedAtMs > foundAtMs) yield slug
  }
}

function cacheSources(
  known: Map<string, CachedSource>,
  slugs: Set<string>,
  sources: Map<string, DeliverySource>,
): void {
  const nowMs = performance.now()
  for (const slug of slugs) {
    known.delete(slug)
    known.set(slug, { source: sources.get(slug), foundAtMs: nowMs, usedAtMs: nowMs })
  }
  for (const slug of known.keys()) {
    if (known.size <= CACHED_MAX) break
    known.delete(slug)
  }
}

async function readSources(sql: Pick<Sql, 'look'>, slugs: string[]): Promise<Map<string, DeliverySource>> {
  const rows = await sql.look({ webhookSlugs: slugs }, (tx) =>
    tx
      .selectFrom('source')
      .innerJoin('sandbox', (on) =>
        on.onRef('sandbox.user_id', '=', 'source.user_id').onRef('sandbox.id', '=', 'source.sandbox_id'),
      )
      .innerJoin('account', 'account.user_id', 'source.user_id')
      .select(['source.user_id', 'source.sandbox_id', 'source.id', 'source.provider', 'source.status', 'source.kind'])
      .select(['source.adapter_config', 'source.external_account_id', 'source.webhook_slug'])
      .select('source.signing_secret_ref')
      .select(['sandbox.status as sandbox_status', 'sandbox.caller_key', 'account.status as account_status'])
      .select((is) =>
        jsonArrayFrom(
          is
            .selectFrom('source_secret')
            .whereRef('source_secret.user_id', '=', 'source.user_id')
            .whereRef('source_secret.sandbox_id', '=', 'source.sandbox_id')
            .whereRef('source_secret.source_id', '=', 'source.id')
            .select([sqlText<string>`encode(hash, 'hex')`.as('hash'), 'expires_at']),
        ).as('secrets'),
      )
      .where('source.webhook_slug', '=', (is) => is.fn.any(is.val(slugs))),
  )
  const deleted = rows.length < slugs.length ? await readTombstones(sql, slugs) : []
  const live = new Map<string, DeliverySource>(
    rows.map((row) => [
      row.webhook_slug as string,
      {
        userId: row.user_id,
        sandboxId: row.sandbox_id,
        sourceId: row.id,
        provider: row.provider,
        status: row.status,
        sandboxStatus: row.sandbox_status,
        isAccountSuspended: row.account_status === 'suspended',
        kind: row.kind,
        publicKey: readStoredKey(row.caller_key)?.publicKey,
        config: row.adapter_config,
        accountId: row.external_account_id,
        secrets: row.secrets.map(({ hash, expires_at: expiresAt }) => ({
          hash: Buffer.from(hash, 'hex'),
          expiresAt: expiresAt === null ? null : new Date(expiresAt),
        })),
        signingSecretRef: row.signing_secret_ref,
      },
    ]),
  )
  return new Map([...deleted, ...live])
}

async function readTombstones(sql: Pick<Sql, 'look'>, slugs: string[]): Promise<[string, DeliverySource][]> {
  const rows = await sql.look({ webhookSlugs: slugs }, (tx) =>
    tx
      .selectFrom('source_tombstone')
      .selectAll()
      .where('webhook_slug', '=', (is) => is.fn.any(is.val(slugs))),
  )
  return rows.map((row): [string, DeliverySource] => [
    row.webhook_slug,
    {
      userId: row.user_id,
      sandboxId: row.sandbox_id,
      sourceId: row.source_id,
      provider: '',
      status: 'deleted',
      sandboxStatus: 'active',
      isAccountSuspended: false,
      kind: 'durable',
      publicKey: undefined,
      config: {},
      accountId: null,
      secrets: rows
        .filter(({ source_id: sourceId }) => sourceId === row.source_id)
        .map(({ hash }) => ({ hash, expiresAt: null })),
      signingSecretRef: null,
    },
  ])
}

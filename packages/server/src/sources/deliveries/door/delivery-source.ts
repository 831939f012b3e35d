import { sql as sqlText } from 'kysely'
import { jsonArrayFrom } from 'kysely/helpers/postgres'
import type { JsonObject } from '../../../db/json-object.ts'
import type { Sql } from '../../../db/open.ts'
import type { Row } from '../../../db/tables.ts'
import { readKeptKey } from '../../../tenancy/caller-keys/kept-keys.ts'
import type { PublicKey } from '../../../tenancy/secrets/seal.ts'

/** A source as a delivery to it needs it. */
export interface DeliverySource {
  userId: string
  sandboxId: string
  sourceId: string
  provider: string
  /** `deleted` for a source that was deleted lately, of which only its secrets are known. */
  status: Row<'source'>['status'] | 'deleted'
  sandboxStatus: Row<'sandbox'>['status']
  isAccountSuspended: boolean
  kind: Row<'source'>['kind']
  /** What deliveries are sealed to in a sandbox under a caller's key. */
  sealTo: PublicKey | undefined
  config: JsonObject
  accountId: string | null
  /** Digests of the secrets that its sender may use, and until when. */
  secrets: { hash: Buffer; expiresAt: Date | null }[]
  /** Where the secret store has what its provider signs with; the secret itself is not read with the source. */
  signingSecretRef: string | null
}

/** Finds the sources that deliveries are addressed to. */
export interface DeliverySources {
  /** The source whose address has this slug, as it was at most a second ago; undefined when none has it. */
  find(slug: string): Promise<DeliverySource | undefined>
  /** Makes the next delivery to a source of the sandbox look it up again: for one that was changed here. */
  forget(sandboxId: string): void
  /** The same for every source of an account. */
  forgetAccount(userId: string): void
}

interface CachedSource {
  source: DeliverySource | undefined
  foundAtMs: number
  usedAtMs: number
}

/** What was found is believed for so long; a change by another process is seen after this time at the latest. */
const BELIEVED_MS = 1_000
/** A source that is used when older than this is refreshed before it expires, so that no delivery waits. */
const RENEWED_MS = 700
/** When one source is looked up, every source that was used since and is older than this is looked up with it. */
const RENEWED_WITH_OTHERS_MS = 400
/** Slugs remembered at once. */
const REMEMBERED_MAX = 20_000
/** Slugs of one look-up. */
const TOGETHER_MAX = 1_000
const NONE: ReadonlySet<string> = new Set()
/** A slug as it is made here; any other is not looked up. */
const SLUG = /^[\w-]{22}$/

/** Opens the look-up. Slugs that are asked for together are looked up together, by the role of deliveries. */
export function openDeliverySources({ sql }: { sql: Pick<Sql, 'look'> }): DeliverySources {
  const known = new Map<string, CachedSource>()
  const waiting = new Map<string, Promise<DeliverySource | undefined>>()
  let next: { slugs: Set<string>; found: Promise<Map<string, DeliverySource>> } | undefined
  let running: Promise<unknown> = Promise.resolve()
  /** What the look-up that is being made is for; there is one at a time. */
  let underway: ReadonlySet<string> = NONE
  let changes = 0

  const lookUpTogether = (slug: string): Promise<Map<string, DeliverySource>> => {
    if (!next || next.slugs.size >= TOGETHER_MAX) {
      const slugs = new Set<string>()
      const found = running.then(async () => {
        next = undefined
        for (const one of due(known)) if (slugs.size < TOGETHER_MAX) slugs.add(one)
        underway = slugs
        const changesBefore = changes
        const reading = readSources(sql, [...slugs])
        const sources = await reading.finally(() => {
          underway = NONE
        })
        if (changes === changesBefore) remember(known, slugs, sources)
        return sources
      })
      running = found.catch(() => undefined)
      next = { slugs, found }
    }
    next.slugs.add(slug)
    return next.found
  }

  const lookUp = (slug: string): Promise<DeliverySource | undefined> => {
    const asked = waiting.get(slug)
    if (asked) return asked
    const looking = lookUpTogether(slug).then((sources) => sources.get(slug))
    const settled = looking.finally(() => {
      if (waiting.get(slug) === settled) waiting.delete(slug)
    })
    waiting.set(slug, settled)
    return settled
  }

  /** What is being looked up may have been read before the change, so nobody who asks from here on gets it. */
  const forgetWhere = (isChanged: (source: DeliverySource) => boolean): void => {
    changes += 1
    waiting.clear()
    for (const [slug, { source }] of known) if (source && isChanged(source)) known.delete(slug)
  }

  return {
    find: async (slug) => {
      if (!SLUG.test(slug)) return undefined
      const nowMs = performance.now()
      const held = known.get(slug)
      const ageMs = nowMs - (held?.foundAtMs ?? Number.NEGATIVE_INFINITY)
      if (!held || ageMs >= BELIEVED_MS) return lookUp(slug)
      held.usedAtMs = nowMs
      // A look-up that fails is made again by whoever comes when the time is over, and that one hears of it.
      if (held.source && ageMs > RENEWED_MS && !underway.has(slug)) lookUp(slug).catch(() => undefined)
      return held.source
    },
    forget: (sandboxId) => forgetWhere((source) => source.sandboxId === sandboxId),
    forgetAccount: (userId) => forgetWhere((source) => source.userId === userId),
  }
}

/** Slugs that were used since they were looked up, and will soon be looked up again. */
function* due(known: Map<string, CachedSource>): Iterable<string> {
  const nowMs = performance.now()
  for (const [slug, { source, foundAtMs, usedAtMs }] of known) {
    if (source && nowMs - foundAtMs > RENEWED_WITH_OTHERS_MS && usedAtMs > foundAtMs) yield slug
  }
}

function remember(known: Map<string, CachedSource>, slugs: Set<string>, sources: Map<string, DeliverySource>): void {
  const nowMs = performance.now()
  for (const slug of slugs) {
    known.delete(slug)
    known.set(slug, { source: sources.get(slug), foundAtMs: nowMs, usedAtMs: nowMs })
  }
  for (const slug of known.keys()) {
    if (known.size <= REMEMBERED_MAX) break
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
        sealTo: readKeptKey(row.caller_key)?.publicKey,
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
      sealTo: undefined,
      config: {},
      accountId: null,
      secrets: rows
        .filter(({ source_id: sourceId }) => sourceId === row.source_id)
        .map(({ hash }) => ({ hash, expiresAt: null })),
      signingSecretRef: null,
    },
  ])
}

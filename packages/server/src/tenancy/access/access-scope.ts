import type { Role, SandboxState, Tier } from '@cairnstore/contract'
import { sql as sqlText } from 'kysely'
import { Fault } from '../../base/fault.ts'
import { type Head, type HeadRow, headOf } from '../../db/head.ts'
import { hasValues } from '../../db/of-sandbox.ts'
import type { Sql, Tx } from '../../db/open.ts'
import type { Row } from '../../db/tables.ts'
import { type Caller, holderOf } from '../caller.ts'

const RANK: Record<Role, number> = { viewer: 1, editor: 2, owner: 3 }

/** The columns of a grant that determine the access scope. */
interface Grant {
  role: 'viewer' | 'editor'
  project_id: string | null
}

/**
 * Access scope: proof that a caller may use a sandbox. Only this class creates it, and code inside a sandbox requires
 * it. It reflects the state at the start of the request.
 */
export class AccessScope {
  readonly sandboxId: string
  /** Account that owns the sandbox; the tenant of its rows. */
  readonly holderId: string
  readonly role: Role
  /** The project that the grant is limited to; null for the whole sandbox. */
  readonly projectId: string | null
  readonly status: SandboxState
  readonly tier: Tier
  /** Committed version of the sandbox's knowledge at the start of the request. */
  readonly head: Head
  // A private field prevents a structurally equal object from passing as an access scope.
  readonly #sandbox: Row<'sandbox'>

  private constructor(sandbox: Row<'sandbox'> & HeadRow, role: Role, projectId: string | null) {
    this.#sandbox = sandbox
    this.sandboxId = sandbox.id
    this.holderId = sandbox.user_id
    this.role = role
    this.projectId = projectId
    this.status = sandbox.status
    this.tier = sandbox.tier
    this.head = headOf(sandbox)
  }

  /** The sandbox's row at the time of the access check. */
  get sandbox(): Row<'sandbox'> {
    return this.#sandbox
  }

  /** Returns true if the caller's role is at least `needed`. */
  allows(needed: Role): boolean {
    return RANK[this.role] >= RANK[needed]
  }

  /**
   * Returns the caller's access scope in a sandbox, by default in its primary sandbox. Throws `not_found` if the
   * sandbox is missing or not accessible, and `no_primary_sandbox` if there is no primary one.
   */
  static async of(
    sql: Sql,
    caller: Caller,
    sandboxId: string | undefined,
    find = AccessScope.find,
  ): Promise<AccessScope> {
    const id = sandboxId ?? (await findPrimary(sql, caller))
    const access = id === null ? undefined : await find(sql, caller, id)
    if (!access) throw new Fault(sandboxId === undefined ? 'no_primary_sandbox' : 'not_found')
    return access
  }

  /**
   * Returns the caller's access scope in a sandbox; undefined if it is missing or not accessible. A connection key
   * grants access only through its own connection, regardless of the grantee's other sandboxes and grants.
   */
  static async find(sql: Pick<Sql, 'look'>, caller: Caller, sandboxId: string): Promise<AccessScope | undefined> {
    return (await AccessScope.findAll(sql, caller, [sandboxId])).get(sandboxId)
  }

  /** Returns the access scopes in several sandboxes, by id. Omits missing and inaccessible ones. */
  static async findAll(
    sql: Pick<Sql, 'look'>,
    caller: Caller,
    sandboxIds: readonly string[],
  ): Promise<Map<string, AccessScope>> {
    const rows = await sql.look({ caller: holderOf(caller) }, (tx) => selectVisible(tx, caller, sandboxIds))
    const found = new Map<string, AccessScope>()
    for (const row of rows) {
      const grant = isOwnedBy(row, caller) ? OWNER : widestGrantOf(caller, row.grants ?? [])
      if (grant) found.set(row.id, new AccessScope(row, grant.role, grant.project_id))
    }
    return found
  }
}

const OWNER = { role: 'owner', project_id: null } as const

/**
 * Returns true if the caller may act as the sandbox's owner: with a credential of the account, as an owner or admin of
 * the account, or as the member who created the sandbox.
 */
export function isOwnedBy(sandbox: Pick<Row<'sandbox'>, 'user_id' | 'member_id'>, caller: Caller): boolean {
  const { credential, member } = caller
  if (credential.kind === 'connection_key') return false
  if (member?.role !== 'member') return sandbox.user_id === holderOf(caller)
  return sandbox.user_id === member.tenantId && sandbox.member_id === member.id
}

/** Returns the sandbox of a connection key, or else the primary sandbox of the account. */
async function findPrimary(sql: Sql, { accountId, credential, member }: Caller): Promise<string | null> {
  if (credential.kind === 'connection_key') return credential.sandboxId
  const own = await sql.transact(accountId, (tx) => findPrimarySandbox(tx, accountId))
  // A member without a primary sandbox uses the account's. The access check still applies.
  if (own !== null || !member) return own
  return sql.transact(member.tenantId, (tx) => findPrimarySandbox(tx, member.tenantId))
}

/** Selects the sandboxes visible to a caller, with their heads and the caller's grants. */
function selectVisible(tx: Tx, caller: Caller, sandboxIds: readonly string[]) {
  return tx
    .selectFrom('sandbox')
    .innerJoin('sandbox_head as head', (join) =>
      join.onRef('head.user_id', '=', 'sandbox.user_id').onRef('head.sandbox_id', '=', 'sandbox.id'),
    )
    .selectAll('sandbox')
    .select(['head.records_version', 'head.entities_version', 'head.links_version', 'head.seq', 'head.floor_seq'])
    .select(['head.vectors_version', 'head.key_epoch', 'head.graph_image'])
    .select(grantsOf(tx, caller).as('grants'))
    .where('sandbox.id', '=', (is) => {
      // An array parameter of varying length changes the row estimate, so the server plans again each time. A single id
      // avoids that.
      const [only] = sandboxIds
      return only !== undefined && sandboxIds.length === 1 ? is.val(only) : is.fn.any(is.val(sandboxIds))
    })
}

/** Returns a column with the caller's active grants of each sandbox; null for the caller's own sandboxes. */
function grantsOf(tx: Tx, caller: Caller) {
  const holder = sqlText.ref<string>('sandbox.user_id')
  const granted = activeGrants(tx, caller)
    .where('connection.user_id', '=', holder)
    .where('connection.sandbox_id', '=', sqlText.ref<string>('sandbox.id'))
    .as('granted')
  const list = sqlText<Grant[]>`jsonb_agg(jsonb_build_object('role', role, 'project_id', project_id))`
  const grants = tx.selectFrom(granted).select(list.as('grants'))
  return sqlText<Grant[] | null>`case when ${holder} = ${holderOf(caller)} then null else ${grants} end`
}

/** Selects the caller's active grants, by the database's clock. For a connection key, selects only its own grant. */
export function activeGrants(tx: Tx, caller: Caller) {
  const { credential, member } = caller
  const holderId = holderOf(caller)
  const ofGroups = tx.selectFrom('team_group_member').select('group_id').where('member_id', '=', holderId)
  const granted = tx
    .selectFrom('connection')
    .select(['user_id', 'sandbox_id', 'role', 'project_id'])
    .$if(!member, (all) => all.where('grantee_user_id', '=', holderId))
    .$if(member !== undefined, (all) =>
      all.where((is) => is.or([is('grantee_user_id', '=', holderId), is('group_id', 'in', ofGroups)])),
    )
    .where('revoked_at', 'is', null)
    .where((is) => is.or([is('expires_at', 'is', null), is('expires_at', '>', sqlText<Date>`now()`)]))
    .orderBy('id')
  if (credential.kind !== 'connection_key') return granted
  return granted.where('sandbox_id', '=', credential.sandboxId).where('id', '=', credential.connectionId)
}

/** Returns the grant with the highest role. Among equal roles, one without a project limit wins. */
export function widestGrant<G extends Grant>(grants: readonly G[]): G | undefined {
  const width = (grant: G) => RANK[grant.role] * 2 + (grant.project_id === null ? 1 : 0)
  return grants.reduce<G | undefined>((best, grant) => (best && width(best) >= width(grant) ? best : grant), undefined)
}

/** Returns the widest grant of a caller. A member with the role viewer gets at most that role. */
export function widestGrantOf<G extends Grant>({ member }: Caller, grants: readonly G[]): G | undefined {
  if (member?.role !== 'viewer') return widestGrant(grants)
  return widestGrant(grants.map((grant) => ({ ...grant, role: 'viewer' as const })))
}

/** Returns the account's primary sandbox: the configured one, or the only active one. Null if there is neither. */
export async function findPrimarySandbox(tx: Tx, accountId: string): Promise<string | null> {
  const onlyActive = tx
    .selectFrom('sandbox')
    .select(sqlText<string>`min(id)`.as('id'))
    .where(hasValues({ user_id: accountId, status: 'active' }))
    .having(sqlText<number>`count(*)`, '=', 1)
  const account = await tx
    .selectFrom('account')
    .select((is) => is.fn.coalesce('primary_sandbox_id', onlyActive).as('id'))
    .where('user_id', '=', accountId)
    .executeTakeFirst()
  return account?.id ?? null
}

/** Throws `not_found` if the caller has lost access. Long operations call this before they continue. */
export async function assertStillAllowed(
  { sql, caller }: { readonly sql: Sql; readonly caller: Caller },
  access: AccessScope,
  role: Role = 'viewer',
): Promise<void> {
  const now = await AccessScope.find(sql, caller, access.sandboxId)
  const isNarrower = now && now.projectId !== null && now.projectId !== access.projectId
  if (!now || isNarrower || !now.allows(role)) throw new Fault('not_found')
}

/** Look-ups of one credential: the one in progress and the one that collects new requests. */
interface PendingLookUps {
  running: Promise<unknown>
  next: { sandboxIds: Set<string>; found: Promise<Map<string, AccessScope>> } | undefined
}

/**
 * Returns a version of `AccessScope.find` that batches concurrent requests. Each credential has one look-up at a time.
 * Requests made during a look-up share the next one, in one round trip. A look-up starts after its last request, so no
 * result is older than its request.
 */
export function createBatchedFind(): typeof AccessScope.find {
  const byCredential = new Map<string, PendingLookUps>()
  return async (sql, caller, sandboxId) => {
    const key = `${caller.accountId} ${caller.credential.id}`
    const lookUps = byCredential.get(key) ?? { running: Promise.resolve(), next: undefined }
    byCredential.set(key, lookUps)
    lookUps.next ??= startLookUp(sql, caller, lookUps)
    const { sandboxIds, found } = lookUps.next
    sandboxIds.add(sandboxId)
    try {
      return (await found).get(sandboxId)
    } finally {
      if (lookUps.running === found && !lookUps.next) byCredential.delete(key)
    }
  }
}

function startLookUp(sql: Pick<Sql, 'look'>, caller: Caller, lookUps: PendingLookUps) {
  const sandboxIds = new Set<string>()
  const found = lookUps.running
    .catch(() => undefined)
    // Requests of one event loop iteration share a look-up.
    .then(() => new Promise(setImmediate))
    .then(() => {
      lookUps.next = undefined
      lookUps.running = found
      return AccessScope.findAll(sql, caller, [...sandboxIds])
    })
  return { sandboxIds, found }
}

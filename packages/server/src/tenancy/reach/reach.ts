import type { Role, SandboxState, Tier } from '@cairnstore/contract'
import { sql as sqlText } from 'kysely'
import { Fault } from '../../base/fault.ts'
import { type Head, type HeadRow, headOf } from '../../db/head.ts'
import type { Sql, Tx } from '../../db/open.ts'
import type { Row } from '../../db/tables.ts'
import { type Caller, holderOf } from '../caller.ts'

const RANK: Record<Role, number> = { viewer: 1, editor: 2, owner: 3 }

/** A grant on the sandbox, as far as reach depends on it. */
interface Grant {
  role: 'viewer' | 'editor'
  project_id: string | null
}

/**
 * Proof that a caller may use a sandbox. Only its own functions make one, and what works inside a sandbox
 * takes nothing less. It holds what was true when the request came in.
 */
export class Reach {
  readonly sandboxId: string
  /** The account that holds the sandbox: the tenant of everything in it. */
  readonly holderId: string
  readonly role: Role
  /** The one project that the grant is limited to; null for the whole sandbox. */
  readonly projectId: string | null
  readonly status: SandboxState
  readonly tier: Tier
  /** The committed state of its knowledge when the request came in. */
  readonly head: Head
  // Private, so that an object that looks like a Reach is none.
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

  /** The sandbox's row as it was when the reach was decided. */
  get sandbox(): Row<'sandbox'> {
    return this.#sandbox
  }

  /** Whether the caller's role is at least the needed one. */
  allows(needed: Role): boolean {
    return RANK[this.role] >= RANK[needed]
  }

  /**
   * The caller's reach of a sandbox, of its primary one when none is named. A sandbox that is missing and one that is
   * out of reach throw the same `not_found`; no primary sandbox is `no_primary_sandbox`.
   */
  static async of(sql: Sql, caller: Caller, sandboxId: string | undefined, find = Reach.find): Promise<Reach> {
    const id = sandboxId ?? (await findPrimary(sql, caller))
    const reach = id === null ? undefined : await find(sql, caller, id)
    if (!reach) throw new Fault(sandboxId === undefined ? 'no_primary_sandbox' : 'not_found')
    return reach
  }

  /**
   * The caller's reach of a sandbox, or undefined when it is missing or out of reach. A connection's key reaches its
   * connection's sandbox by that connection alone, whatever else its grantee owns or was granted.
   */
  static async find(sql: Pick<Sql, 'look'>, caller: Caller, sandboxId: string): Promise<Reach | undefined> {
    return (await Reach.findAll(sql, caller, [sandboxId])).get(sandboxId)
  }

  /** The same of several sandboxes at once, by their ids; what is missing or out of reach is left out. */
  static async findAll(
    sql: Pick<Sql, 'look'>,
    caller: Caller,
    sandboxIds: readonly string[],
  ): Promise<Map<string, Reach>> {
    const rows = await sql.look({ caller: holderOf(caller) }, (tx) => reached(tx, caller, sandboxIds))
    const found = new Map<string, Reach>()
    for (const row of rows) {
      const grant = isOwnedBy(row, caller) ? OWNER : widestOf(caller, row.grants ?? [])
      if (grant) found.set(row.id, new Reach(row, grant.role, grant.project_id))
    }
    return found
  }
}

const OWNER = { role: 'owner', project_id: null } as const

/**
 * Returns true if the caller may act as the sandbox's owner: by a credential of the account, as one of its owners and
 * admins, or as the member who made it.
 */
export function isOwnedBy(sandbox: Pick<Row<'sandbox'>, 'user_id' | 'member_id'>, caller: Caller): boolean {
  const { credential, member } = caller
  if (credential.kind === 'connection_key') return false
  if (member?.role !== 'member') return sandbox.user_id === holderOf(caller)
  return sandbox.user_id === member.tenantId && sandbox.member_id === member.id
}

/** For a connection's key the sandbox that it opens, else the account's primary one. */
async function findPrimary(sql: Sql, { accountId, credential, member }: Caller): Promise<string | null> {
  if (credential.kind === 'connection_key') return credential.sandboxId
  const own = await sql.transact(accountId, (tx) => findPrimarySandbox(tx, accountId))
  // A member without a choice of its own uses the account's, if its access allows it.
  if (own !== null || !member) return own
  return sql.transact(member.tenantId, (tx) => findPrimarySandbox(tx, member.tenantId))
}

/** Reads sandboxes which a caller may see, with their heads and what the caller was granted of each. */
function reached(tx: Tx, caller: Caller, sandboxIds: readonly string[]) {
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
      // How many a list has changes what the server expects, so that it plans anew each time; for one it need not.
      const [only] = sandboxIds
      return only !== undefined && sandboxIds.length === 1 ? is.val(only) : is.fn.any(is.val(sandboxIds))
    })
}

/** The caller's live grants of each sandbox of a query, as a column of it; null for a sandbox of the caller's own. */
function grantsOf(tx: Tx, caller: Caller) {
  const holder = sqlText.ref<string>('sandbox.user_id')
  const granted = liveGrants(tx, caller)
    .where('connection.user_id', '=', holder)
    .where('connection.sandbox_id', '=', sqlText.ref<string>('sandbox.id'))
    .as('granted')
  const list = sqlText<Grant[]>`jsonb_agg(jsonb_build_object('role', role, 'project_id', project_id))`
  const grants = tx.selectFrom(granted).select(list.as('grants'))
  return sqlText<Grant[] | null>`case when ${holder} = ${holderOf(caller)} then null else ${grants} end`
}

/** The grants that a caller has at this moment, by the database's clock; through a connection's key that one alone. */
export function liveGrants(tx: Tx, caller: Caller) {
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

/** Of several grants the one with the highest role counts, and among equals one that is not limited to a project. */
export function widest<G extends Grant>(grants: readonly G[]): G | undefined {
  const width = (grant: G) => RANK[grant.role] * 2 + (grant.project_id === null ? 1 : 0)
  return grants.reduce<G | undefined>((best, grant) => (best && width(best) >= width(grant) ? best : grant), undefined)
}

/** Returns the widest grant of a caller. Members with the role viewer never have more than that role. */
export function widestOf<G extends Grant>({ member }: Caller, grants: readonly G[]): G | undefined {
  if (member?.role !== 'viewer') return widest(grants)
  return widest(grants.map((grant) => ({ ...grant, role: 'viewer' as const })))
}

/**
 * The primary sandbox of an account: the one that it set, else the only active one that it owns; null where there is
 * neither, and for an account that is not there.
 */
export async function findPrimarySandbox(tx: Tx, accountId: string): Promise<string | null> {
  const onlyActive = tx
    .selectFrom('sandbox')
    .select(sqlText<string>`min(id)`.as('id'))
    .where('user_id', '=', accountId)
    .where('status', '=', 'active')
    .having(sqlText<number>`count(*)`, '=', 1)
  const account = await tx
    .selectFrom('account')
    .select((is) => is.fn.coalesce('primary_sandbox_id', onlyActive).as('id'))
    .where('user_id', '=', accountId)
    .executeTakeFirst()
  return account?.id ?? null
}

/**
 * Throws `not_found` when the caller no longer has the reach, in the role, under which its request began: what takes
 * long goes on, and tells what it found, for nobody who may not have it any more.
 */
export async function assertStillReached(
  { sql, caller }: { readonly sql: Sql; readonly caller: Caller },
  reach: Reach,
  role: Role = 'viewer',
): Promise<void> {
  const now = await Reach.find(sql, caller, reach.sandboxId)
  const isNarrower = now && now.projectId !== null && now.projectId !== reach.projectId
  if (!now || isNarrower || !now.allows(role)) throw new Fault('not_found')
}

/** The look-ups of one credential: the one under way, and the one that begins when it is over. */
interface LookUps {
  running: Promise<unknown>
  next: { sandboxIds: Set<string>; found: Promise<Map<string, Reach>> } | undefined
}

/**
 * Finds a caller's reach as `Reach.find` does. For one credential there is one look-up at a time; what is asked for
 * meanwhile goes together in the next, in one round trip. A look-up begins after all of it was asked for, so nobody is
 * told of a state from before the question.
 */
export function createFindTogether(): typeof Reach.find {
  const byCredential = new Map<string, LookUps>()
  return async (sql, caller, sandboxId) => {
    const key = `${caller.accountId} ${caller.credential.id}`
    const lookUps = byCredential.get(key) ?? { running: Promise.resolve(), next: undefined }
    byCredential.set(key, lookUps)
    lookUps.next ??= begin(sql, caller, lookUps)
    const { sandboxIds, found } = lookUps.next
    sandboxIds.add(sandboxId)
    try {
      return (await found).get(sandboxId)
    } finally {
      if (lookUps.running === found && !lookUps.next) byCredential.delete(key)
    }
  }
}

function begin(sql: Pick<Sql, 'look'>, caller: Caller, lookUps: LookUps) {
  const sandboxIds = new Set<string>()
  const found = lookUps.running
    .catch(() => undefined)
    // Those that come in one turn of the event loop go together.
    .then(() => new Promise(setImmediate))
    .then(() => {
      lookUps.next = undefined
      lookUps.running = found
      return Reach.findAll(sql, caller, [...sandboxIds])
    })
  return { sandboxIds, found }
}

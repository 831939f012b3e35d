import { type Access, type Operation, operations } from '@cairnstore/contract'
import { beforeAll, expect, it } from 'vitest'
import { newId } from '../../../packages/server/src/base/id.ts'
import type { Row } from '../../../packages/server/src/db/tables.ts'
import { newApiKey } from '../../../packages/server/src/tenancy/accounts/key-format.ts'
import { insertKey } from '../../../packages/server/src/tenancy/accounts/store.ts'
import { documentedBy } from '../../harness/documented.ts'
import { SAMPLES, type SampleRequest, sampleOf } from '../../harness/operation-samples.ts'
import { rowsOf } from '../../harness/rows-of.ts'
import { type Ids, makeTenant, type OperationId, type Tenant } from '../../harness/tenant.ts'
import { onEachApp, TEST_ADMIN_KEY, type TestAccount } from '../../harness/test-app.ts'

/** The database's clock decides whether a grant has expired, so this date is absolute. */
const PAST = new Date('2020-01-01T00:00:00Z')
const SECOND_MS = 1000

/** Expected outcome for a caller: success, or the status of the error. */
type Verdict = 'ok' | 400 | 401 | 403 | 404

/** Expected outcome for each caller by the access level of the operation. */
const VERDICTS = {
  //                  public account viewer editor owner admin sender
  none: /*          */ ['ok', 401, 401, 401, 401, 401, 401],
  noKey: /*         */ ['ok', 401, 401, 401, 401, 401, 401],
  unknownKey: /*    */ ['ok', 401, 401, 401, 401, 401, 401],
  revokedKey: /*    */ ['ok', 401, 401, 401, 401, 401, 401],
  expiredKey: /*    */ ['ok', 401, 401, 401, 401, 401, 401],
  suspended: /*     */ ['ok', 401, 401, 401, 401, 401, 401],
  deadGrantKey: /*  */ ['ok', 401, 401, 401, 401, 401, 401],
  stranger: /*      */ ['ok', 'ok', 404, 404, 404, 403, 401],
  withdrawn: /*     */ ['ok', 'ok', 404, 404, 404, 403, 401],
  lapsed: /*        */ ['ok', 'ok', 404, 404, 404, 403, 401],
  viewer: /*        */ ['ok', 'ok', 'ok', 403, 403, 403, 401],
  editor: /*        */ ['ok', 'ok', 'ok', 'ok', 403, 403, 401],
  scopedViewer: /*  */ ['ok', 'ok', 'ok', 403, 403, 403, 401],
  scopedEditor: /*  */ ['ok', 'ok', 'ok', 'ok', 403, 403, 401],
  owner: /*         */ ['ok', 'ok', 'ok', 'ok', 'ok', 403, 401],
  grantKey: /*      */ ['ok', 403, 'ok', 403, 403, 403, 401],
  admin: /*         */ ['ok', 401, 401, 401, 401, 'ok', 401],
} as const satisfies Record<string, readonly Verdict[]>

type CallerName = keyof typeof VERDICTS

const COLUMN: Record<Access, number> = { public: 0, account: 1, viewer: 2, editor: 3, owner: 4, admin: 5, sender: 6 }

const WITH_ACCOUNT = ['stranger', 'withdrawn', 'lapsed', 'viewer', 'editor', 'scopedViewer', 'scopedEditor'] as const
const all = (verdict: Verdict, names: readonly CallerName[] = WITH_ACCOUNT) =>
  Object.fromEntries(names.map((name) => [name, verdict])) as Partial<Record<CallerName, Verdict>>

/** Answers belong to the caller who asked, here the owner. */
const OF_THE_OWNER = all(404, ['viewer', 'editor', 'scopedViewer', 'scopedEditor', 'grantKey'])

/** Operations whose access level does not determine the outcome. */
const EXCEPTIONS: Partial<Record<OperationId, Partial<Record<CallerName, Verdict>>>> = {
  // The key in the path belongs to the owner.
  revokeApiKey: all(404),
  getAnswer: OF_THE_OWNER,
  deleteAnswer: OF_THE_OWNER,
  giveFeedback: OF_THE_OWNER,
  shareAnswer: OF_THE_OWNER,
  unshareAnswer: OF_THE_OWNER,
  // Evaluations also belong to the caller who asked.
  getEvaluation: all(404, ['editor', 'scopedEditor']),
  deleteEvaluation: all(404, ['editor', 'scopedEditor']),
  // By now each caller has created its own sandbox, which is its primary one. Callers rejected by the tenant have
  // created two.
  ingestPrimary: { ...all('ok'), ...all(404, ['stranger', 'withdrawn', 'lapsed']) },
  // A grant limited to a project does not include the projects created for these samples.
  archiveProject: { scopedEditor: 404 },
  unlinkSource: { scopedEditor: 404 },
  // A grant limited to a project cannot create or delete any project.
  createProject: { scopedEditor: 403 },
  deleteProject: { scopedEditor: 404 },
  // These jobs ingested data outside the project.
  getJob: all(404, ['scopedViewer', 'scopedEditor']),
  // By then other callers have linked the source to another project, so the run may belong to that one.
  listRunFiles: all(404, ['scopedViewer', 'scopedEditor']),
  // The key of a grant lists the one sandbox that it can access.
  listSandboxes: { grantKey: 'ok' },
  // A decision about an entity is also visible outside the project.
  mergeEntities: { scopedEditor: 403 },
  splitEntity: { scopedEditor: 403 },
  undoMerge: { scopedEditor: 403 },
  acceptMergeSuggestion: { scopedEditor: 403 },
  dismissMergeSuggestion: { scopedEditor: 403 },
  // The credential is a code, and the sample's code does not exist.
  signInToConsole: all(401, Object.keys(VERDICTS) as CallerName[]),
  // No identity provider is configured.
  beginSignIn: all(404, Object.keys(VERDICTS) as CallerName[]),
  receiveSignIn: all(404, Object.keys(VERDICTS) as CallerName[]),
  receiveBackchannelLogout: all(404, Object.keys(VERDICTS) as CallerName[]),
  // The credential is the code of an invitation, and the sample's invitation does not exist.
  acceptInvitation: all(400, Object.keys(VERDICTS) as CallerName[]),
  // The member, the group and the rule in the path belong to the owner.
  updateMember: all(404),
  removeMember: all(404),
  createMemberCode: all(404),
  deleteInvitation: all(404),
  updateGroup: all(404),
  deleteGroup: all(404),
  deleteGroupRole: all(404),
  // The credential of a callback is the state of a pending consent, and the samples have none.
  receiveOAuthCallback: all(400, Object.keys(VERDICTS) as CallerName[]),
  receiveOAuthIssuerCallback: all(400, Object.keys(VERDICTS) as CallerName[]),
  completeUserMcpAuthorization: all(400, ['editor', 'scopedEditor', 'owner']),
  // The usage of a whole sandbox covers more than one project.
  getSandboxUsage: all(403, ['scopedViewer', 'scopedEditor']),
  // Metrics are open to loopback and to their own key. A caller with another key must be the operator.
  getMetrics: all(
    401,
    (Object.keys(VERDICTS) as CallerName[]).filter((name) => !['none', 'admin'].includes(name)),
  ),
}

const IDS = Object.keys(operations) as OperationId[]
const documented = documentedBy(operations)

function verdictOf(id: OperationId, caller: CallerName): Verdict {
  const { access }: Operation = operations[id]
  return EXCEPTIONS[id]?.[caller] ?? VERDICTS[caller][COLUMN[access]]!
}

onEachApp((app) => {
  let holder: TestAccount
  let tenant: Tenant
  let tokens: Record<CallerName, string | undefined>
  let nonce = 0
  let sent = 0

  const grant = async (grantee: TestAccount, how: Partial<Row<'connection'>>) => {
    const id = newId('connection', app().clock)
    const place = { user_id: holder.userId, sandbox_id: tenant.ids.sandbox_id, id, created_at: app().clock.now() }
    const open = { role: 'viewer', project_id: null, label: null, expires_at: null, revoked_at: null } as const
    const who = { grantee_user_id: grantee.userId, created_by: holder.userId }
    await app().cairn.app.sql.transact(holder.userId, (tx) =>
      tx
        .insertInto('connection')
        .values({ ...place, ...open, ...who, ...how })
        .execute(),
    )
    return id
  }

  const granted = async (how: Partial<Row<'connection'>>) => {
    const grantee = await app().newAccount()
    await grant(grantee, how)
    return grantee.key
  }

  const keyOf = async (account: TestAccount, expiresAt: Date | null) => {
    const { clock, cairn } = app()
    const key = newApiKey()
    const id = newId('key', clock)
    await cairn.app.sql.transact(account.userId, (tx) =>
      insertKey(tx, { userId: account.userId, id, name: 'test', key, createdAt: clock.now(), expiresAt }),
    )
    return { id, key }
  }

  const suspended = async () => {
    const { userId, key } = await app().newAccount()
    await app().cairn.app.sql.transact(userId, (tx) => tx.updateTable('account').set({ status: 'suspended' }).execute())
    return key
  }

  const grantKey = async (role: 'viewer' | 'editor', isRevoked: boolean) => {
    const { userId } = await app().newAccount()
    const connections = `/api/v1/storage/sandboxes/${tenant.ids.sandbox_id}/connections`
    const { body: made } = await holder.call('POST', connections, { user_id: userId, role })
    const { body: key } = await holder.call('POST', `${connections}/${made.connection_id}/api-keys`)
    if (isRevoked) await holder.call('DELETE', `${connections}/${made.connection_id}`)
    return key.plaintext_key
  }

  /** Sends each request from a different loopback address, because the number of wrong keys per address is limited. */
  const send = ({ method, url, body }: SampleRequest, token: string | undefined) => {
    sent += 1
    return app().cairn.http.inject({
      method,
      url,
      remoteAddress: `127.0.${sent >> BITS_OF_BYTE}.${sent & BYTE_MAX}`,
      headers: {
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { payload: JSON.stringify(body) }),
    })
  }

  /** Calls an operation. If it should succeed, it gets fresh objects, because a success can consume them. */
  const ask = async (id: OperationId, caller: CallerName) => {
    nonce += 1
    const isAllowed = verdictOf(id, caller) === 'ok'
    const { project_id, sandbox_id } = tenant.ids
    const fresh = (await SAMPLES[id].fresh?.(tenant, `${caller} ${nonce}`)) ?? {}
    // Only the owner has access to a new sandbox. Callers that must be rejected use the shared one.
    const ids: Ids = { ...tenant.ids, ...fresh, ...(!isAllowed && fresh.sandbox_id && { sandbox_id, project_id }) }
    const answer = await send(sampleOf(id, ids, `${caller} ${nonce}`), tokens[caller])
    const contentType = String(answer.headers['content-type'] ?? '')
    return { status: answer.statusCode, contentType, payload: answer.payload }
  }

  const sweep = async (caller: CallerName) => {
    for (const id of IDS) {
      const answer = await ask(id, caller)
      const { status, reply }: Operation = operations[id]
      const verdict = verdictOf(id, caller)
      const wanted = verdict === 'ok' ? [status, reply?.otherwise?.status] : [verdict]
      expect(wanted, `${caller}: ${id} answered ${answer.status} ${answer.payload.slice(0, 300)}`).toContain(
        answer.status,
      )
      expect(documented(id, answer), `${caller}: ${id}`).toBeUndefined()
    }
  }

  beforeAll(async () => {
    holder = await app().newAccount()
    tenant = await makeTenant(holder.call, app().admin, 'marigold')
    await holder.call('POST', '/api/v1/users/me/profile', { sandbox_id: tenant.ids.sandbox_id })
    const revoked = await keyOf(holder, null)
    const expired = await keyOf(holder, new Date(app().clock.now().getTime() - SECOND_MS))
    expect((await holder.call('DELETE', `/api/v1/api-keys/${revoked.id}`)).status).toBe(200)
    const { project_id } = tenant.ids
    tokens = {
      none: undefined,
      noKey: 'not-a-key',
      unknownKey: newApiKey(),
      revokedKey: revoked.key,
      expiredKey: expired.key,
      suspended: await suspended(),
      deadGrantKey: await grantKey('editor', true),
      stranger: (await app().newAccount()).key,
      withdrawn: await granted({ role: 'editor', revoked_at: PAST }),
      lapsed: await granted({ role: 'editor', expires_at: PAST }),
      viewer: await granted({ role: 'viewer' }),
      editor: await granted({ role: 'editor' }),
      scopedViewer: await granted({ role: 'viewer', project_id }),
      scopedEditor: await granted({ role: 'editor', project_id }),
      owner: holder.key,
      grantKey: await grantKey('viewer', false),
      admin: TEST_ADMIN_KEY,
    }
  })

  // Must run first, because allowed requests cause background work.
  it('a caller without access changes no row of the owner, whatever it requests', async () => {
    const isRefused = (name: CallerName) =>
      VERDICTS[name][COLUMN.viewer] !== 'ok' && VERDICTS[name][COLUMN.admin] !== 'ok'
    const refused = (Object.keys(VERDICTS) as CallerName[]).filter(isRefused)
    const before = await rowsOf(app().cairn.app.sql, holder.userId)
    for (const caller of refused) {
      for (const id of IDS) await send(sampleOf(id, tenant.ids, `${caller} again`), tokens[caller])
    }
    expect(await rowsOf(app().cairn.app.sql, holder.userId)).toEqual(before)
  })

  for (const caller of Object.keys(VERDICTS) as CallerName[]) {
    it(`answers every operation as its access says to the caller "${caller}"`, () => sweep(caller))
  }
})

const BITS_OF_BYTE = 8
const BYTE_MAX = 255

import { type Operation, operations } from '@cairnstore/contract'
import { beforeAll, expect, it } from 'vitest'
import { SAMPLES, sampleOf } from '../harness/operation-samples.ts'
import { makeTenant, type OperationId, type Tenant } from '../harness/tenant.ts'
import { onEachApp, type TestAccount } from '../harness/test-app.ts'

/** Operations whose sample request changes nothing, so that there is nothing to record. */
const UNCHANGING: ReadonlySet<OperationId> = new Set<OperationId>([
  // An entity is merged with itself, an owner without sandboxes is deleted, and a sandbox without a key cannot rotate
  // it.
  'mergeEntities',
  'deleteOwner',
  'rotateSandboxKey',
  // The code does not exist, so nobody is signed in.
  'signInToConsole',
  // A confirmation code is known only after a user's consent.
  'completeUserMcpAuthorization',
  // No identity provider is configured, the sample's invitation does not exist, and an API key has no session to end.
  'receiveSignIn',
  'receiveBackchannelLogout',
  'acceptInvitation',
  'signOut',
])
/** Operations that must run first so that these change anything. */
const BEFORE: Partial<Record<OperationId, OperationId>> = {
  reactivateAccount: 'suspendAccount',
  reactivateSandbox: 'suspendSandbox',
  resumeSource: 'pauseSource',
}

const AUDITED = (Object.entries(operations) as [OperationId, Operation][]).flatMap(([id, operation]) =>
  'event' in operation.audit && !UNCHANGING.has(id) ? [{ id, event: operation.audit.event }] : [],
)

onEachApp((app) => {
  let account: TestAccount
  let tenant: Tenant

  beforeAll(async () => {
    account = await app().newAccount()
    tenant = await makeTenant(account.call, app().admin, 'audited')
    await account.call('POST', '/api/v1/users/me/profile', { sandbox_id: tenant.ids.sandbox_id })
  })

  /** Sends the sample request of an operation for these ids. */
  const send = async (id: OperationId, ids: Tenant['ids'], nonce: string) => {
    const { access, retry }: Operation = operations[id]
    const { method, url, body } = sampleOf(id, ids, nonce)
    const call = access === 'admin' ? app().admin : account.call
    const answer = await call(method, url, body, retry === 'keyed' ? { 'idempotency-key': nonce } : {})
    expect([200, 201, 202], JSON.stringify(answer.body)).toContain(answer.status)
    return answer
  }

  /** Counts the audit events of this type and request, in any chain. */
  const countOf = async (event: string, requestId: string) =>
    app().cairn.app.sql.transact({ operator: true }, async (tx) => {
      const rows = await tx
        .selectFrom('audit')
        .select('event')
        .where('event', '=', event)
        .where('request_id', '=', requestId)
        .execute()
      return rows.length
    })

  for (const [at, { id, event }] of AUDITED.entries()) {
    it(`${id} leaves ${event} in the audit log`, async () => {
      const nonce = `audited-${at}`
      const fresh = (await SAMPLES[id].fresh?.(tenant, nonce)) ?? {}
      const ids = { ...tenant.ids, ...fresh }
      const before = BEFORE[id]
      if (before) await send(before, ids, nonce)
      const answer = await send(id, ids, nonce)
      expect(await countOf(event, answer.headers['x-request-id'] as string)).toBeGreaterThan(0)
    })
  }
})

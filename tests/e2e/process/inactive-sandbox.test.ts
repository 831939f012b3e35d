import { type Operation, operations } from '@cairnstore/contract'
import { expect, it } from 'vitest'
import { SAMPLES, sampleOf } from '../../harness/operation-samples.ts'
import { makeTenant, type OperationId, type Tenant } from '../../harness/tenant.ts'
import { type Answer, onEachApp } from '../../harness/test-app.ts'

const SANDBOXES = '/api/v1/storage/sandboxes'
const IN_SANDBOX = (Object.entries(operations) as [OperationId, Operation][]).filter(([, { path }]) =>
  path.includes(':sandbox_id'),
)

/** Operations allowed on an inactive sandbox: delete or reactivate it, and revoke access or notifications of others. */
const ALLOWED: ReadonlySet<OperationId> = new Set<OperationId>([
  'suspendSandbox',
  'reactivateSandbox',
  'archiveSandbox',
  'deleteSandbox',
  'revokeConnection',
  'createConnectionKey',
  'deleteWebhook',
  'deleteAnswer',
  'deleteEvaluation',
  'unshareAnswer',
  'updateSandboxTier',
  // A tool follows the rule of the operation that it calls.
  'sendMcpMessage',
])

onEachApp((app) => {
  const ask = (tenant: Tenant, id: OperationId): Promise<Answer> => {
    const { method, url, body } = sampleOf(id, tenant.ids, 'inactive')
    return tenant.call(method, url, body)
  }

  for (const verb of ['suspend', 'archive']) {
    it(`after ${verb} every read succeeds, and every write and query is 409`, async () => {
      const { call } = await app().newAccount()
      const tenant = await makeTenant(call, app().admin, `inactive by ${verb}`)
      const storage = `${SANDBOXES}/${tenant.ids.sandbox_id}`
      // Only a record of an imported file has an original, and an inactive sandbox imports none.
      const imported = { ...tenant, ids: { ...tenant.ids, ...(await SAMPLES.downloadOriginal.fresh?.(tenant, verb)) } }
      expect((await call('POST', `${storage}/${verb}`)).status).toBe(200)
      for (const [id, { method }] of IN_SANDBOX) {
        if (ALLOWED.has(id)) continue
        const { status, body } = await ask(id === 'downloadOriginal' ? imported : tenant, id)
        if (method === 'GET') expect(status, id).toBe(200)
        else expect([status, body.reason], id).toEqual([409, 'sandbox_not_active'])
      }
      expect((await call('POST', `${storage}/reactivate`)).status).toBe(200)
      for (const [id, { method }] of IN_SANDBOX) {
        if (method !== 'GET' || SAMPLES[id].fresh) continue
        expect((await ask(tenant, id)).status, `${id} after it came back`).toBe(200)
      }
    })
  }
})

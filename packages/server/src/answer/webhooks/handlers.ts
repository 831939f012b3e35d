import type { webhookOperations } from '@cairnstore/contract'
import type { Handlers } from '../context.ts'
import { createWebhook } from './create-webhook.ts'
import { deleteWebhook } from './delete-webhook.ts'
import { listWebhookDeliveries, listWebhooks } from './list-webhooks.ts'
import { rotateSigningSecret } from './rotate-signing-secret.ts'
import { testWebhook } from './test-webhook.ts'
import { updateWebhook } from './update-webhook.ts'

/** Answers the operations by which an owner has changes sent. */
export const handlers: Handlers<typeof webhookOperations> = {
  createWebhook: (ctx, { reach, body }) => createWebhook(ctx, reach, body),
  listWebhooks: (ctx, { reach, query }) => listWebhooks(ctx, reach, query),
  updateWebhook: (ctx, { reach, params, body }) => updateWebhook(ctx, reach, params.webhook_id, body),
  deleteWebhook: (ctx, { reach, params }) => deleteWebhook(ctx, reach, params.webhook_id),
  rotateSigningSecret: (ctx, { reach, params, body }) =>
    rotateSigningSecret(ctx, reach, params.webhook_id, body.grace_seconds ?? 0),
  testWebhook: (ctx, { reach, params }) => testWebhook(ctx, reach, params.webhook_id),
  listWebhookDeliveries: (ctx, { reach, params, query }) => listWebhookDeliveries(ctx, reach, params.webhook_id, query),
}

import type { deliveryOperations } from '@cairn/contract'
import type { Handlers } from '../context.ts'
import { receiveDelivery } from './receive-delivery.ts'

/** Answers what providers deliver. */
export const handlers: Handlers<typeof deliveryOperations> = {
  receiveDelivery: (ctx, { params, raw }) => receiveDelivery(ctx, params.slug, raw),
}

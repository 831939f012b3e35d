import { anyOf, entriesOf } from './entries.ts'
import products from './products.json' with { type: 'json' }

const MESSENGER = new RegExp(anyOf(entriesOf(products.messengers), ['mail']), 'i')

/** Whether people write to each other in what the provider names; "google_mail" and "microsoft teams" are so too. */
export function isMessenger(provider = ''): boolean {
  return MESSENGER.test(provider)
}

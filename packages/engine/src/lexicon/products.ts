import { anyOf, entriesOf } from './entries.ts'
import products from './products.json' with { type: 'json' }

const MESSENGERS = entriesOf(products.messengers)
const NAMES = new Map([...MESSENGERS, ...entriesOf(products.others)].map((name) => [name.toLowerCase(), name]))
const MESSENGER = new RegExp(anyOf(MESSENGERS, ['mail']), 'i')

/** How the product that a source's provider names is written; undefined for one that is not known. */
export function productNamed(provider = ''): string | undefined {
  return NAMES.get(provider.toLowerCase())
}

/** Whether people write to each other in what the provider names; "google_mail" and "microsoft teams" are so too. */
export function isMessenger(provider = ''): boolean {
  return MESSENGER.test(provider)
}

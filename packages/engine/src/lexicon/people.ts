import { entriesOf } from './entries.ts'
import mailboxes from './mailboxes.json' with { type: 'json' }
import people from './people.json' with { type: 'json' }

const NOBODYS = new Set([...entriesOf(mailboxes.placeholders), ...entriesOf(mailboxes.shared)])
const NO_HOSTS = new Set(entriesOf(mailboxes.hosts))
const PRIVATE = new Set(entriesOf(mailboxes.private))
const PARTS = new Set(entriesOf(mailboxes.parts))
const GIVEN = new Set(entriesOf(people.given))
const FAMILY = new Set(entriesOf(people.family))
/** What parts a mailbox's name. */
const PARTING = /[._+-]+/u

/** Full given names by the short form: `bill` → `william`. */
const FULL = new Map<string, Set<string>>()
for (const [full = '', ...forms] of entriesOf(people.short).map((line) => line.split(' '))) {
  for (const form of forms) FULL.set(form, (FULL.get(form) ?? new Set()).add(full))
}

/** Whether an address is written where nobody's stands, or is one that many use: it tells nothing of who writes. */
export function isNobodysAddress(address: string): boolean {
  const [local = '', host = ''] = address.trim().toLowerCase().split('@')
  const [first = ''] = local.split('+')
  if (!host || NO_HOSTS.has(host) || !host.includes('.') || host.endsWith('.localdomain')) return true
  if (NOBODYS.has(local) || NOBODYS.has(first)) return true
  const parts = first.split(PARTING)
  return parts.length > 1 && (PARTS.has(parts[0]!) || PARTS.has(parts.at(-1)!))
}

/** Whether mailboxes of a host are given to anybody, so that it says nothing of whom they work for. */
export function isPrivateHost(host: string): boolean {
  return PRIVATE.has(host)
}

/** Whether two given names may be one, the one short for the other: `bill` and `william`. */
export function areShortFor(one: string, other: string): boolean {
  const [ours, theirs] = [FULL.get(one) ?? new Set<string>(), FULL.get(other) ?? new Set<string>()]
  return ours.has(other) || theirs.has(one) || [...ours].some((full) => theirs.has(full))
}

/** Whether very many bear a given name, and a family name. */
export function isCommonGiven(name: string): boolean {
  return GIVEN.has(name)
}

export function isCommonFamily(name: string): boolean {
  return FAMILY.has(name)
}

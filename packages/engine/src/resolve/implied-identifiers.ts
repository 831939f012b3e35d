import { isNobodysAddress } from '../lexicon/names.ts'
import { normaliseName } from '../text/names.ts'

/** An identifier that an address says beside itself, and of which product it is where that is not the source's own. */
interface Implied {
  kind: 'id' | 'login' | 'email'
  value: string
  provider?: string
  site?: string
}

/** Addresses that code hosts make for accounts which show no other: `7+ana@users.noreply.github.com`. */
const MADE = /^(?:(\d{1,20})[+-])?([a-z\d][a-z\d_.-]{0,254}?)@users\.noreply\.([a-z\d.-]+)$/i
/** The oldest such addresses are a login alone; a number that is as long as ids are is one. */
const ID_DIGITS_MIN = 6
/** What people write behind the plus of their own address is a word; what systems write is a token. */
const PLUS = /^([^+@\s]{2,64})\+([a-z]{1,20}(?:[._-][a-z]{1,20}){0,2})@([^@\s]+)$/i
const NAME_LETTERS_MIN = 3

/**
 * Returns what an address of a person identifies beside itself: the account that a code host made it for, by its login
 * and number, or the mailbox that one with a plus is delivered to. That holds for an address whose mailbox bears the
 * name of its person, as systems write such addresses too, for their own purposes.
 */
export function impliedIdentifiers(address: string, names: readonly string[]): Implied[] {
  const made = MADE.exec(address)
  if (made) return accountOf(made[1], made[2]!, made[3]!.toLowerCase())
  const [, mailbox, , host] = PLUS.exec(address) ?? []
  const plain = `${mailbox}@${host}`
  const isOwn = mailbox !== undefined && !isNobodysAddress(plain) && bearsName(mailbox, names)
  return isOwn ? [{ kind: 'email', value: plain }] : []
}

/** Whether a code host made an address for an account. */
export function isMadeAddress(address: string): boolean {
  return MADE.test(address)
}

function accountOf(id: string | undefined, login: string, host: string): Implied[] {
  const at = { provider: host.startsWith('gitlab.') ? 'gitlab' : 'github', site: host }
  if (id === undefined && /^\d+$/.test(login) && login.length >= ID_DIGITS_MIN)
    return [{ kind: 'id', value: login, ...at }]
  return [
    ...(id === undefined ? [] : [{ kind: 'id' as const, value: id, ...at }]),
    { kind: 'login', value: login, ...at },
    // A source that tells of logins without saying whose they are has the host's own.
    { kind: 'login', value: login },
  ]
}

function bearsName(mailbox: string, names: readonly string[]): boolean {
  const own = normaliseName(mailbox.replace(/[._-]+/g, ' ')).replaceAll(' ', '')
  const words = names.flatMap((name) => normaliseName(name).split(' '))
  return words.some((word) => word.length >= NAME_LETTERS_MIN && (own.includes(word) || word.includes(own)))
}

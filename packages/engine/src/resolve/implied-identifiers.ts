import { isSharedMailbox } from '../lexicon/names.ts'
import { normaliseName } from '../text/names.ts'

/** An identifier that can be derived from an address. `provider` is set if it differs from that of the source. */
interface ImpliedIdentifier {
  kind: 'id' | 'login' | 'email'
  value: string
  provider?: string
  site?: string
}

/** Matches an address that a code host generates for a private account: `7+ana@users.noreply.github.com`. */
const GENERATED = /^(?:(\d{1,20})[+-])?([a-z\d][a-z\d_.-]{0,254}?)@users\.noreply\.([a-z\d.-]+)$/i
/** Minimum number of digits of an account id. A shorter number is a login, which the oldest addresses have. */
const ID_DIGITS_MIN = 6
/** Matches plus-addressing with a word as the tag, as people use it. Systems use random tokens instead. */
const PLUS = /^([^+@\s]{2,64})\+([a-z]{1,20}(?:[._-][a-z]{1,20}){0,2})@([^@\s]+)$/i
const NAME_LETTERS_MIN = 3

/**
 * Returns further identifiers that can be derived from a person's address. A code host's generated address contains the
 * login and number of the account. A plus address contains its base mailbox, which is returned only if it contains the
 * person's name: systems use plus addresses for other purposes.
 */
export function impliedIdentifiers(address: string, names: readonly string[]): ImpliedIdentifier[] {
  const generated = GENERATED.exec(address)
  if (generated) return accountOf(generated[1], generated[2]!, generated[3]!.toLowerCase())
  const [, mailbox, , host] = PLUS.exec(address) ?? []
  const plain = `${mailbox}@${host}`
  const isOwn = mailbox !== undefined && !isSharedMailbox(plain) && containsName(mailbox, names)
  return isOwn ? [{ kind: 'email', value: plain }] : []
}

/** Returns true if a code host generated the address for an account. */
export function isGeneratedAddress(address: string): boolean {
  return GENERATED.test(address)
}

function accountOf(id: string | undefined, login: string, host: string): ImpliedIdentifier[] {
  const at = { provider: host.startsWith('gitlab.') ? 'gitlab' : 'github', site: host }
  if (id === undefined && /^\d+$/.test(login) && login.length >= ID_DIGITS_MIN)
    return [{ kind: 'id', value: login, ...at }]
  return [
    ...(id === undefined ? [] : [{ kind: 'id' as const, value: id, ...at }]),
    { kind: 'login', value: login, ...at },
    // If a source reports logins without a provider, they are logins of the code host.
    { kind: 'login', value: login },
  ]
}

function containsName(mailbox: string, names: readonly string[]): boolean {
  const own = normaliseName(mailbox.replace(/[._-]+/g, ' ')).replaceAll(' ', '')
  const words = names.flatMap((name) => normaliseName(name).split(' '))
  return words.some((word) => word.length >= NAME_LETTERS_MIN && (own.includes(word) || word.includes(own)))
}

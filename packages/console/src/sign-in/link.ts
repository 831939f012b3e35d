import { ApiError, UnauthorizedError } from '@cairnstore/client'
import { sentenceOf } from '../app/sentence-of.ts'
import { change, clientFor, type OfferedLink, signIn, signInWithCookie, storedSession } from '../app/session.ts'
import { t } from '../language/language.ts'

const CODE_PREFIX = '#k='
const INVITATION_PREFIX = '#i='
/** Fragment that the service adds when it redirects the browser here after a sign-in with the identity provider. */
const SIGNED_IN = '#signed-in'
const INCOMPLETE = t('This link is incomplete. Copy all of it, or run `cairn console` to print another one.')

/** Signs in by the link in the address, now and whenever another one is opened in this tab. */
export function followLinks(): void {
  // Opening a link in a console tab only changes the URL fragment. It does not reload the page.
  addEventListener('hashchange', follow)
  follow()
}

/** Follows the link in the URL. Removes it from the URL first, so that it is not shared or followed twice. */
function follow(): void {
  const { hash, pathname, search } = location
  const prefix = [CODE_PREFIX, INVITATION_PREFIX].find((each) => hash.startsWith(each))
  if (prefix === undefined && hash !== SIGNED_IN) return
  history.replaceState(history.state, '', `${pathname}${search}`)
  const code = prefix && decoded(hash.slice(prefix.length))
  if (prefix === undefined) signInWithCookie()
  else if (!code) change({ ...storedSession(), notice: INCOMPLETE })
  else if (prefix === INVITATION_PREFIX) change({ ...storedSession(), invitation: code })
  else {
    change({ isSigningIn: true })
    void offerOrExchange(code)
  }
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

/**
 * Signs in with the code of a one-time link. If somebody else is signed in in this browser, asks first. Otherwise an
 * attacker could send a link to their own account, and the user would enter data there.
 */
async function offerOrExchange(code: string): Promise<void> {
  const stored = storedSession()
  try {
    const named = personIn(code)
    const current = await currentPerson()
    if (current === undefined || named === undefined || named === current) await exchange(code)
    else change({ ...stored, offered: { code, name: named } })
  } catch (error) {
    change({ ...stored, notice: sentenceOf(error) })
  }
}

/** Signs in with the session cookie. Without https the service sets no cookie, so a key is used then. */
async function exchange(code: string): Promise<void> {
  const cairn = clientFor(undefined)
  try {
    await cairn.signInToConsole({ code, cookie: true })
    signInWithCookie()
  } catch (error) {
    // The service also refuses the cookie if the browser uses an address that is not the configured one.
    const isCookieRefused = error instanceof ApiError && ['https_required', 'csrf'].includes(error.reason ?? '')
    if (!isCookieRefused) throw error
    const { api_key: apiKey } = await cairn.signInToConsole({ code })
    if (apiKey) signIn(apiKey)
  }
}

/** Returns the account and member of a code. Its first part is readable; the service checks the signature. */
export function personIn(code: string): string | undefined {
  try {
    const [part = ''] = code.split('.')
    const bytes = Uint8Array.from(atob(part.replaceAll('-', '+').replaceAll('_', '/')), (char) => char.charCodeAt(0))
    const [ids = '', expires, ...account] = new TextDecoder().decode(bytes).split(' ')
    const [, member] = ids.split('+')
    return expires === undefined ? undefined : nameOf(account.join(' '), member)
  } catch {
    return undefined
  }
}

function nameOf(account: string, member: string | null | undefined): string {
  return member ? `${account}, ${member}` : account
}

/** Returns the account and member that this tab is signed in as. Undefined for nobody, '' for the operator. */
async function currentPerson(): Promise<string | undefined> {
  const { apiKey, hasCookie, isOperator } = storedSession()
  if (isOperator) return ''
  if (apiKey === undefined && !hasCookie) return undefined
  try {
    const { user_id: account, member_id: member } = await clientFor(apiKey).getSession()
    return nameOf(account, member)
  } catch (error) {
    if (error instanceof UnauthorizedError) return undefined
    throw error
  }
}

/** Signs in with a link that was offered. */
export async function acceptOffer({ code }: OfferedLink): Promise<void> {
  try {
    await exchange(code)
  } catch (error) {
    change({ ...storedSession(), notice: sentenceOf(error) })
  }
}

/** Keeps the current session. The link stays valid until it expires. */
export function declineOffer(): void {
  change(storedSession())
}

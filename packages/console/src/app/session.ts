import { Cairn, UnauthorizedError } from '@cairnstore/client'
import { useSyncExternalStore } from 'react'
import { queries } from './queries.ts'
import { sentenceOf } from './sentence-of.ts'

/** Who is signed in, and where they work. */
export interface Session {
  /** Opens the service; lasts as long as the tab. Undefined when nobody is signed in. */
  apiKey?: string
  /** The sandbox that the pages show. */
  sandboxId?: string
  /** The account with whose eyes the sandbox is shown, which its owner has shared it with. */
  asUser?: string
  /** Whether the key is the operator's, which opens no sandbox. */
  isOperator?: boolean
  /** How often a caller's key was given: pages are drawn anew with each. */
  keysHeld?: number
  /** Why nobody is signed in any more, or could not be. */
  notice?: string
  /** Whether the code of a one-time link is being exchanged. */
  isSigningIn?: boolean
  /** The account of a sign-in link that was opened while this tab is signed in to another account. */
  offered?: OfferedAccount
}

/** An account to switch to, and the API key obtained from its sign-in link. */
interface OfferedAccount {
  apiKey: string
  name: string
}

const KEY_PLACE = 'cairn.key'
const SANDBOX_PLACE = 'cairn.sandbox'
const OPERATOR_PLACE = 'cairn.operator'
const CODE_PREFIX = '#k='
/** A page waits with a person before it, so that it says soon what fails. */
const CLIENT = { retries: 2, waitSecondsMax: 5, timeoutMs: 60_000 }

let session: Session = {}
/** Keys that only their callers hold, by sandbox: in memory alone, gone with the page. */
const heldKeys = new Map<string, string>()
const listeners = new Set<() => void>()
const leavers = new Set<Leave>()

/** Forgets what was shown; `isSameKey` where the person behind the page is the same. */
type Leave = (isSameKey: boolean) => void
let clients = new Map<string, Cairn>()

function change(next: Session): void {
  session = next
  for (const listener of listeners) listener()
}

/** Has this done whenever another key, another sandbox or another's eyes are taken: nothing seen before may stay. */
export function onLeaving(leave: Leave): void {
  leavers.add(leave)
}

function leaveBehind(isSameKey: boolean): void {
  for (const leave of leavers) leave(isSameKey)
}

/** Signs in with the key that the tab kept, or with the code in the address, which is taken out of it. */
export function beginSession(): void {
  const onError = (error: unknown) => {
    if (error instanceof UnauthorizedError)
      signOut('This key opens nothing any more: it was revoked, or has expired. Sign in with another one.')
  }
  queries.getQueryCache().config.onError = onError
  queries.getMutationCache().config.onError = onError
  // Opening a link in a console tab only changes the URL fragment. It does not reload the page.
  addEventListener('hashchange', takeCode)
  if (!takeCode()) change(keptByTab())
}

/** Exchanges the code in the URL and removes it from the URL. Returns false if there is no code. */
function takeCode(): boolean {
  const { hash, pathname, search } = location
  if (!hash.startsWith(CODE_PREFIX)) return false
  history.replaceState(history.state, '', `${pathname}${search}`)
  const code = decoded(hash.slice(CODE_PREFIX.length))
  if (code === undefined) change({ ...keptByTab(), notice: CUT_LINK })
  else {
    change({ isSigningIn: true })
    void exchange(code)
  }
  return true
}

const CUT_LINK = 'This link is not complete. Copy all of it, or have `cairn console` print another one.'

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

function keptByTab(): Session {
  return {
    apiKey: sessionStorage.getItem(KEY_PLACE) ?? undefined,
    sandboxId: sessionStorage.getItem(SANDBOX_PLACE) ?? undefined,
    isOperator: sessionStorage.getItem(OPERATOR_PLACE) !== null,
  }
}

function forgetTab(): void {
  for (const place of [KEY_PLACE, SANDBOX_PLACE, OPERATOR_PLACE]) sessionStorage.removeItem(place)
}

/**
 * Signs in with the code of a one-time link. A tab that is signed in to another account asks first: an attacker could
 * send the link so that the user's data ends up in the attacker's account. An invalid code leaves the session as it is.
 */
async function exchange(code: string): Promise<void> {
  const kept = keptByTab()
  try {
    const { api_key: apiKey } = await clientFor(undefined).signInToConsole({ code })
    if (!apiKey) return change(kept)
    const { user_id: userId, display_name: name } = await clientFor(apiKey).getProfile()
    if (await isOf(userId, kept)) signIn(apiKey)
    else change({ ...kept, offered: { apiKey, name: name ?? userId } })
  } catch (error) {
    change({ ...kept, notice: sentenceOf(error) })
  }
}

/** Returns whether a session belongs to this account or to none. The operator's key belongs to no account. */
async function isOf(userId: string, { apiKey, isOperator }: Session): Promise<boolean> {
  if (!apiKey) return true
  if (isOperator) return false
  try {
    return (await clientFor(apiKey).getProfile()).user_id === userId
  } catch (error) {
    if (error instanceof UnauthorizedError) return true
    throw error
  }
}

/** Switches to the account that a sign-in link offers. */
export function acceptOffer({ apiKey }: OfferedAccount): void {
  heldKeys.clear()
  signIn(apiKey)
}

/** Keeps the current session and revokes the API key from the link. */
export async function declineOffer({ apiKey }: OfferedAccount): Promise<void> {
  change(keptByTab())
  const cairn = clientFor(apiKey)
  const key = (await cairn.listApiKeys()).find(({ key_prefix: start }) => apiKey.startsWith(start))
  if (key) await cairn.revokeApiKey({ key_id: key.id })
}

/** Signs in with a key, which the tab keeps until it is closed; with the operator's where it is said to be that. */
export function signIn(apiKey: string, isOperator = false): void {
  leaveBehind(false)
  forgetTab()
  sessionStorage.setItem(KEY_PLACE, apiKey)
  if (isOperator) sessionStorage.setItem(OPERATOR_PLACE, 'true')
  change({ apiKey, isOperator })
}

/** Signs out, and forgets everything that was shown. */
export function signOut(notice?: string): void {
  leaveBehind(false)
  forgetTab()
  heldKeys.clear()
  clients = new Map()
  change({ notice })
  queries.clear()
}

/** Shows another sandbox from now on. */
export function chooseSandbox(sandboxId: string): void {
  if (sandboxId !== session.sandboxId) leaveBehind(true)
  sessionStorage.setItem(SANDBOX_PLACE, sandboxId)
  const { asUser: _, ...rest } = session
  change({ ...rest, sandboxId })
}

/** Shows the sandbox as an account sees it that it is shared with; as its owner again without one. */
export function seeAs(asUser: string | undefined): void {
  const { asUser: _, ...rest } = session
  leaveBehind(true)
  queries.clear()
  change(asUser === undefined ? rest : { ...rest, asUser })
}

/** Keeps, in memory alone, the key of a sandbox that is encrypted under its caller's own. */
export function holdKey(sandboxId: string, key: string): void {
  heldKeys.set(sandboxId, key)
  // What was refused without the key is asked for anew by pages that are drawn anew, and so with it.
  queries.removeQueries({ queryKey: [sandboxId] })
  change({ ...session, keysHeld: (session.keysHeld ?? 0) + 1 })
}

/** Whether a caller's key is held for a sandbox. */
export function holdsKey(sandboxId: string): boolean {
  return heldKeys.has(sandboxId)
}

/** The session as it is; the component is drawn anew when it changes. */
export function useSession(): Session {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => session,
  )
}

/** A client of the service, with the caller's key of the sandbox where one is held, and with a grantee's eyes. */
export function clientFor(apiKey: string | undefined, sandboxId?: string, asUser?: string): Cairn {
  const encryptionKey = sandboxId && heldKeys.get(sandboxId)
  const name = JSON.stringify([apiKey, sandboxId, asUser, encryptionKey])
  const known = clients.get(name)
  if (known) return known
  const made = new Cairn({
    ...CLIENT,
    url: location.origin,
    apiKey: apiKey ?? '',
    ...(sandboxId && { sandbox: sandboxId }),
    ...(asUser !== undefined && { asUser }),
    ...(encryptionKey && { encryptionKey }),
  })
  clients.set(name, made)
  return made
}

/** The client of who is signed in, in the sandbox that the pages show. */
export function useCairn(): Cairn {
  const { apiKey, sandboxId, asUser } = useSession()
  return clientFor(apiKey, sandboxId, asUser)
}

import { Cairn, UnauthorizedError } from '@cairnstore/client'
import { useSyncExternalStore } from 'react'
import { t } from '../language/language.ts'
import { queries } from './queries.ts'

/** The state of this tab: who is signed in, and what the pages show. */
export interface Session {
  /** The API key that was entered in this tab. Undefined if the browser's session cookie is used. */
  apiKey?: string
  /** True if the browser has a session cookie, which all tabs share. */
  hasCookie?: boolean
  /** The sandbox that the pages show. */
  sandboxId?: string
  /** The account from whose point of view the pages are shown. The sandbox is shared with it. */
  asUser?: string
  /** Name of that account or member. */
  asName?: string
  /** True if the key is the operator's. It cannot open a sandbox. */
  isOperator?: boolean
  /** Number of customer-managed keys that were entered so far. Pages render again when it changes. */
  keysHeld?: number
  /** Reason why nobody is signed in. */
  notice?: string
  /** True while a sign-in link is exchanged. */
  isSigningIn?: boolean
  /** A sign-in link that was opened while somebody else is signed in in this browser. */
  offered?: OfferedLink
  /** The code of an invitation link that was opened. */
  invitation?: string
}

/** A sign-in link for another account or member, not yet exchanged for a session. */
export interface OfferedLink {
  code: string
  /** Ids of the account and the member, as the link names them. */
  name: string
}

const KEY_STORAGE = 'cairn.key'
const SANDBOX_STORAGE = 'cairn.sandbox'
const OPERATOR_STORAGE = 'cairn.operator'
/** Local storage key with the time of the last sign-in. Pages cannot read the session cookie itself. */
const COOKIE_HINT = 'cairn.signed-in'
/** A person waits for the page, so a failure must be reported soon. */
const CLIENT = { retries: 2, waitSecondsMax: 5, timeoutMs: 60_000 }

const KEY_ENDED = t('This key is revoked or has expired. Sign in with another one.')
const COOKIE_ENDED = t('Your session has ended. Sign in again.')

let session: Session = {}
/** Customer-managed keys by sandbox. They are only in memory and are lost when the page reloads. */
const storedKeys = new Map<string, string>()
const listeners = new Set<() => void>()
const leavers = new Set<Leave>()

/** Discards the data that was shown. `isSamePerson` is true if only the sandbox or the view changes. */
type Leave = (isSamePerson: boolean) => void
let clients = new Map<string, Cairn>()

/** Replaces the session and renders the pages again. */
export function change(next: Session): void {
  session = next
  for (const listener of listeners) listener()
}

/** Calls `leave` when the person, the sandbox or the view changes. Data shown before must not remain visible. */
export function onLeaving(leave: Leave): void {
  leavers.add(leave)
}

function notifyLeaving(isSamePerson: boolean): void {
  for (const leave of leavers) leave(isSamePerson)
}

/** Restores the session of this tab or browser, and keeps it current. */
export function beginSession(): void {
  const onError = (error: unknown) => {
    if (error instanceof UnauthorizedError) forgetSession(session.hasCookie ? COOKIE_ENDED : KEY_ENDED)
  }
  queries.getQueryCache().config.onError = onError
  queries.getMutationCache().config.onError = onError
  addEventListener('storage', ({ key, newValue }) => {
    if (key !== COOKIE_HINT || session.apiKey !== undefined) return
    // Another tab signed out or in. All tabs share the cookie, so the session of this tab changed too.
    if (newValue === null) forgetSession()
    else startCookieSession()
  })
  change(storedSession())
}

/** Returns the session that this tab stored, otherwise the browser's cookie session. */
export function storedSession(): Session {
  const apiKey = sessionStorage.getItem(KEY_STORAGE)
  const sandboxId = sessionStorage.getItem(SANDBOX_STORAGE) ?? undefined
  if (apiKey === null) return { sandboxId, hasCookie: localStorage.getItem(COOKIE_HINT) !== null }
  return { apiKey, sandboxId, isOperator: sessionStorage.getItem(OPERATOR_STORAGE) !== null }
}

function forgetTab(): void {
  for (const storageKey of [KEY_STORAGE, SANDBOX_STORAGE, OPERATOR_STORAGE]) sessionStorage.removeItem(storageKey)
}

/** Signs this tab in with a key, until the tab is closed. */
export function signIn(apiKey: string, isOperator = false): void {
  resetSession()
  sessionStorage.setItem(KEY_STORAGE, apiKey)
  if (isOperator) sessionStorage.setItem(OPERATOR_STORAGE, 'true')
  change({ apiKey, isOperator })
}

/** Notes that this browser has a new session cookie, and signs its tabs in. */
export function signInWithCookie(): void {
  localStorage.setItem(COOKIE_HINT, String(Date.now()))
  startCookieSession()
}

function startCookieSession(): void {
  resetSession()
  change({ hasCookie: true })
}

function resetSession(): void {
  notifyLeaving(false)
  forgetTab()
  storedKeys.clear()
  queries.clear()
}

/** Ends the session: with a key only in this tab, with the cookie in all tabs of this browser. */
export async function signOut(): Promise<void> {
  const { hasCookie } = session
  if (hasCookie) await clientFor(undefined).signOut()
  forgetSession()
}

/** Ends the sessions of this person in every browser. */
export async function signOutEverywhere(): Promise<void> {
  await clientFor(undefined).endSessions()
  forgetSession(t('You are signed out in every browser.'))
}

/** Discards the session and all data that was shown, and shows the sign-in page. */
function forgetSession(notice?: string): void {
  if (session.hasCookie) localStorage.removeItem(COOKIE_HINT)
  resetSession()
  clients = new Map()
  change({ notice })
}

/** Shows another sandbox. */
export function chooseSandbox(sandboxId: string): void {
  if (sandboxId !== session.sandboxId) notifyLeaving(true)
  sessionStorage.setItem(SANDBOX_STORAGE, sandboxId)
  const { asUser: _, asName: __, ...rest } = session
  change({ ...rest, sandboxId })
}

/** Shows the sandbox as an account or member sees it that it is shared with. Without one: as its owner. */
export function seeAs(asUser: string | undefined, asName = asUser): void {
  const { asUser: _, asName: __, ...rest } = session
  notifyLeaving(true)
  queries.clear()
  change(asUser === undefined ? rest : { ...rest, asUser, ...(asName !== undefined && { asName }) })
}

/** Keeps the customer-managed key of a sandbox in memory. */
export function storeKey(sandboxId: string, key: string): void {
  storedKeys.set(sandboxId, key)
  // Requests that failed without the key are sent again.
  queries.removeQueries({ queryKey: [sandboxId] })
  change({ ...session, keysHeld: (session.keysHeld ?? 0) + 1 })
}

/** Returns true if the customer-managed key of a sandbox was entered. */
export function hasKey(sandboxId: string): boolean {
  return storedKeys.has(sandboxId)
}

/** Returns the session. The component renders again when it changes. */
export function useSession(): Session {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => session,
  )
}

/** Returns a client for a key, or for the session cookie if there is none. It uses a sandbox, as a grantee sees it. */
export function clientFor(apiKey: string | undefined, sandboxId?: string, asUser?: string): Cairn {
  const encryptionKey = sandboxId && storedKeys.get(sandboxId)
  const name = JSON.stringify([apiKey, sandboxId, asUser, encryptionKey])
  const known = clients.get(name)
  if (known) return known
  const made = new Cairn({
    ...CLIENT,
    url: location.origin,
    ...(apiKey === undefined ? { usesCookie: true } : { apiKey }),
    ...(sandboxId && { sandbox: sandboxId }),
    ...(asUser !== undefined && { asUser }),
    ...(encryptionKey && { encryptionKey }),
  })
  clients.set(name, made)
  return made
}

/** Returns the client of the person who is signed in, in the sandbox that the pages show. */
export function useCairn(): Cairn {
  const { apiKey, sandboxId, asUser } = useSession()
  return clientFor(apiKey, sandboxId, asUser)
}

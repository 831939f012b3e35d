import { AccountId } from './admin.ts'
import { CHANGE, operation } from './operation.ts'
import { Maybe, Moment, ShownOnce, type Static, Type as T } from './schema.ts'

/** The longest code: of an account whose id is as long as one can be, in letters that take four bytes. */
const CODE_CHARS_MAX = 2048

/** A code that signs in to the console once, and the address that carries it. */
export const ConsoleCode = T.Object({
  code: ShownOnce('Signs in to the console, once.'),
  url: Maybe(
    T.String({ description: 'The console with the code in its fragment; null where the console is not served.' }),
  ),
  expires_at: Moment('When it stops being good: ten minutes after it was made.'),
})
export type ConsoleCode = Static<typeof ConsoleCode>

/** What the console signs in with. */
export const ConsoleSignIn = T.Object({
  code: T.String({ minLength: 1, maxLength: CODE_CHARS_MAX, description: 'The code of a link, as it stands there.' }),
})
export type ConsoleSignIn = Static<typeof ConsoleSignIn>

/** The key that a code was exchanged for, which is never shown again. */
export const ConsoleSignedIn = T.Object({
  api_key: ShownOnce('An API key of the account, listed and revocable like any other.'),
  expires_at: Moment('When it stops working: twelve hours after the exchange.'),
})
export type ConsoleSignedIn = Static<typeof ConsoleSignedIn>

const tag = 'Console'
const make = { ...CHANGE, tag, audit: { none: 'a code changes nothing until it is used' } } as const

/** The operations by which a person gets into the console without a key to paste. */
export const consoleOperations = {
  createConsoleCode: operation({
    ...make,
    path: '/api/v1/console/codes',
    summary: 'Make a link that signs in to the console',
    description:
      'The code is good once and for ten minutes. It is good no more when a key of the account is revoked before it ' +
      'is used: a key that leaked leaves no way in behind.',
    access: 'account',
    reply: { json: ConsoleCode },
    faults: [],
  }),
  createAccountConsoleCode: operation({
    ...make,
    path: '/api/v1/admin/accounts/:user_id/console-codes',
    summary: 'Make a link that signs an account in to the console',
    access: 'admin',
    params: T.Object({ user_id: AccountId }),
    reply: { json: ConsoleCode },
    faults: ['not_found'],
  }),
  signInToConsole: operation({
    ...CHANGE,
    retry: 'ask',
    tag,
    path: '/api/v1/console/sign-in',
    summary: 'Exchange a code for an API key',
    description:
      'A code that was used, that has expired and that nobody made are one answer. So many wrong ones from one ' +
      'address are looked at and no more.',
    access: 'public',
    audit: { event: 'console.signed_in' },
    body: { json: ConsoleSignIn },
    reply: { json: ConsoleSignedIn },
    faults: ['unauthorized', 'rate_limited', 'unavailable'],
  }),
}

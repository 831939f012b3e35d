import { CreateApiKey, CreatedApiKey } from './account.ts'
import { CHANGE, CREATE, operation, READ } from './operation.ts'
import { Sandbox, sandboxParams, TIERS } from './sandbox.ts'
import { Choice, Done, listing, Maybe, Moment, Name, Page, ShownOnce, type Static, Type as T } from './schema.ts'
import { AuditPage } from './sharing.ts'

const ACCOUNT_ID_CHARS_MAX = 255

/** States of an account. */
export const ACCOUNT_STATES = ['active', 'suspended'] as const

/**
 * Pattern of an account id. It excludes control, zero-width and bidirectional characters and blank text, so that ids
 * can be read, compared and typed.
 */
const ACCOUNT_ID_PATTERN =
  '^(?=.*\\S)[^\\u0000-\\u001f\\u007f-\\u009f\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u206f\\ufeff]+$'

const HALF_A_PAIR = /[\ud800-\udfff]/u

/** Returns true if a text can be an account id: 1 to 255 printable characters. */
export function isAccountId(text: string): boolean {
  return (
    [...text].length <= ACCOUNT_ID_CHARS_MAX && new RegExp(ACCOUNT_ID_PATTERN).test(text) && !HALF_A_PAIR.test(text)
  )
}

/** Account id: generated, or the unchanged subject of its tokens. */
export const AccountId = T.String({
  minLength: 1,
  maxLength: ACCOUNT_ID_CHARS_MAX,
  pattern: ACCOUNT_ID_PATTERN,
  description: 'The account: `acct_…`, or the subject of its tokens. Printable characters only.',
})

/** An account as the operator sees it. */
export const Account = T.Object({
  user_id: T.String({ description: 'The account’s id.' }),
  display_name: T.String({ description: 'Its name for people.' }),
  status: Choice(ACCOUNT_STATES),
  created_at: Moment('When it was made.'),
})
export type Account = Static<typeof Account>

/** Request body to create an account. */
export const CreateAccount = T.Object({
  user_id: Maybe(AccountId),
  display_name: Maybe(Name('Its name for people; its id when omitted.')),
})
export type CreateAccount = Static<typeof CreateAccount>

/** A new account with its first API key, which is shown only once. */
export const CreatedAccount = T.Object({
  user_id: T.String({ description: 'The account’s id.' }),
  display_name: T.String({ description: 'Its name for people.' }),
  key: ShownOnce('Its first API key, shown this once.'),
})
export type CreatedAccount = Static<typeof CreatedAccount>

/** Request body to create another key of an account. */
export const CreateAccountKey = T.Object({
  ...CreateApiKey.properties,
  revoke_others: T.Optional(
    T.Boolean({ default: false, description: 'Whether all its other keys stop working in the same step.' }),
  ),
})
export type CreateAccountKey = Static<typeof CreateAccountKey>

const KeyCount = (description: string) => T.Integer({ minimum: 0, description })

/** Another key of an account, shown only once, with the numbers of other keys kept and revoked. */
export const CreatedAccountKey = T.Object({
  ...CreatedApiKey.properties,
  user_id: T.String({ description: 'The account’s id.' }),
  keys_kept: KeyCount('Other keys of the account that go on working until they expire.'),
  keys_revoked: KeyCount('Other keys of the account that were revoked with this.'),
})
export type CreatedAccountKey = Static<typeof CreatedAccountKey>

/** One page of accounts. */
export const AccountPage = Page('accounts', Account)
export type AccountPage = Static<typeof AccountPage>

/** Request body to set a sandbox's tier. */
export const SetTier = T.Object({ tier: Choice(TIERS, { description: 'The tier from now on.' }) })
export type SetTier = Static<typeof SetTier>

const tag = 'Admin'
const path = '/api/v1/admin/accounts'
const one = `${path}/:user_id`
const params = T.Object({ user_id: AccountId })
const create = { ...CREATE, tag, access: 'admin' } as const
const read = { ...READ, tag, access: 'admin' } as const
const change = { ...CHANGE, tag, access: 'admin', reply: { json: Done } } as const

/** Operator operations. They accept only the admin key. */
export const adminOperations = {
  createAccount: operation({
    ...create,
    path,
    summary: 'Make an account and its first API key',
    audit: { event: 'account.created' },
    body: { json: CreateAccount, example: { display_name: 'Harbour Ltd' } },
    reply: { json: CreatedAccount },
    faults: ['account_exists'],
  }),
  listAccounts: operation({
    ...read,
    path,
    summary: 'List the accounts, newest first',
    ...listing(AccountPage, {
      status: T.Optional(Choice(ACCOUNT_STATES, { description: 'Only accounts in this state.' })),
    }),
  }),
  createAccountKey: operation({
    ...create,
    path: `${one}/api-keys`,
    summary: 'Make another API key of an account',
    description:
      'For an account whose keys are lost. Those that it has stay as they are unless `revoke_others` is true.',
    audit: { event: 'api_key.created' },
    params,
    body: { json: CreateAccountKey, example: { name: 'After the laptop was lost' } },
    reply: { json: CreatedAccountKey },
    faults: ['not_found'],
  }),
  suspendAccount: operation({
    ...change,
    path: `${one}/suspend`,
    summary: 'Suspend an account',
    description:
      'Every credential of it is 401 until it is reactivated: keys, tokens, keys of connections that it was given. ' +
      'What it holds stays, and whom it shared sandboxes with goes on using them.',
    audit: { event: 'account.suspended' },
    params,
    faults: ['not_found'],
  }),
  reactivateAccount: operation({
    ...change,
    path: `${one}/reactivate`,
    summary: 'Reactivate a suspended account',
    audit: { event: 'account.reactivated' },
    params,
    faults: ['not_found'],
  }),
  deleteAccount: operation({
    ...change,
    method: 'DELETE',
    path: one,
    summary: 'Erase an account and everything it holds',
    description:
      'Its sandboxes with all that is in them, its keys, the connections that it was given and its stored replies. ' +
      'Audit logs stay, for the operator. An account of tokens comes back empty when one of its tokens is used ' +
      'again; suspend it instead to keep it out.',
    audit: { event: 'account.erased' },
    params,
    faults: ['not_found'],
  }),
  updateSandboxTier: operation({
    ...change,
    method: 'PATCH',
    path: '/api/v1/admin/sandboxes/:sandbox_id',
    summary: 'Set the tier of a sandbox',
    audit: { event: 'sandbox.tier_set' },
    params: T.Object(sandboxParams),
    body: { json: SetTier, example: { tier: 'pro' } },
    reply: { json: Sandbox },
    faults: ['not_found'],
  }),
  listAuditChain: operation({
    ...read,
    path: '/api/v1/admin/audit',
    summary: 'Show an audit log, also of what was erased, newest first',
    ...listing(AuditPage, {
      chain: T.String({
        minLength: 1,
        maxLength: ACCOUNT_ID_CHARS_MAX,
        description: 'A sandbox’s or an account’s id.',
      }),
    }),
  }),
}

/** Maximum characters of a code: that of the longest account id in four-byte characters. */
const CODE_CHARS_MAX = 2048

/** A single-use code for the console sign-in, and the URL that contains it. */
export const ConsoleCode = T.Object({
  code: ShownOnce('Signs in to the console, once.'),
  url: Maybe(
    T.String({ description: 'The console with the code in its fragment; null where the console is not served.' }),
  ),
  expires_at: Moment('When it stops being good: ten minutes after it was made.'),
})
export type ConsoleCode = Static<typeof ConsoleCode>

/** Request body of the console sign-in. */
export const ConsoleSignIn = T.Object({
  code: T.String({ minLength: 1, maxLength: CODE_CHARS_MAX, description: 'The code of a link, as it stands there.' }),
  cookie: T.Optional(
    T.Boolean({ default: false, description: 'True sets the session cookie instead of returning a key.' }),
  ),
})
export type ConsoleSignIn = Static<typeof ConsoleSignIn>

/** Response of the console sign-in. The key is shown only once. */
export const ConsoleSignedIn = T.Object({
  api_key: ShownOnce('An API key of the account, listed and revocable like any other; null with `cookie`.'),
  expires_at: Moment('When the key or the session ends: twelve hours after the exchange.'),
})
export type ConsoleSignedIn = Static<typeof ConsoleSignedIn>

const consoleTag = 'Console'
const make = { ...CHANGE, tag: consoleTag, audit: { none: 'a code changes nothing until it is used' } } as const

/** Operations to sign in to the console without pasting a key. */
export const consoleOperations = {
  createConsoleCode: operation({
    ...make,
    path: '/api/v1/console/codes',
    summary: 'Make a link that signs in to the console',
    description:
      'The code is good once and for ten minutes. It is good no more when a key of the account is revoked before it ' +
      'is used: a key that leaked leaves no way in behind.',
    access: 'account',
    member: 'viewer',
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
    tag: consoleTag,
    path: '/api/v1/console/sign-in',
    summary: 'Exchange a code for an API key or a session cookie',
    description:
      'With `cookie: true` a browser is signed in: the cookie `__Host-cairn_session` is set, and no key is made. A ' +
      'code that was used, that has expired and that nobody made are one answer. So many wrong ones from one ' +
      'address are looked at and no more.',
    access: 'public',
    audit: { event: 'console.signed_in' },
    body: { json: ConsoleSignIn },
    reply: { json: ConsoleSignedIn },
    faults: ['unauthorized', 'https_required', 'rate_limited', 'unavailable'],
  }),
}

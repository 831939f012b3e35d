import { CreateApiKey, CreatedApiKey } from './account.ts'
import { CHANGE, CREATE, operation, READ } from './operation.ts'
import { Sandbox, sandboxParams, TIERS } from './sandbox.ts'
import { Choice, Done, listing, Maybe, Moment, Name, Page, ShownOnce, type Static, Type as T } from './schema.ts'
import { AuditPage } from './sharing.ts'

const ACCOUNT_ID_CHARS_MAX = 255

export const ACCOUNT_STATES = ['active', 'suspended'] as const

/** Excludes control, zero-width and bidirectional characters and blank text, so that ids can be compared by eye. */
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
  display_name: T.String({ description: 'Its display name.' }),
  status: Choice(ACCOUNT_STATES),
  created_at: Moment('When it was created.'),
})
export type Account = Static<typeof Account>

/** Request body to create an account. */
export const CreateAccount = T.Object({
  user_id: Maybe(AccountId),
  display_name: Maybe(Name('Its display name. Default: its id.')),
})
export type CreateAccount = Static<typeof CreateAccount>

/** A new account with its first API key, which is shown only once. */
export const CreatedAccount = T.Object({
  user_id: T.String({ description: 'The account’s id.' }),
  display_name: T.String({ description: 'Its display name.' }),
  key: ShownOnce('Its first API key. It is shown only once.'),
})
export type CreatedAccount = Static<typeof CreatedAccount>

/** Request body to create another key of an account. */
export const CreateAccountKey = T.Object({
  ...CreateApiKey.properties,
  revoke_others: T.Optional(
    T.Boolean({ default: false, description: 'True to revoke all its other keys at the same time.' }),
  ),
})
export type CreateAccountKey = Static<typeof CreateAccountKey>

const KeyCount = (description: string) => T.Integer({ minimum: 0, description })

/** Another key of an account, shown only once, with the numbers of other keys kept and revoked. */
export const CreatedAccountKey = T.Object({
  ...CreatedApiKey.properties,
  user_id: T.String({ description: 'The account’s id.' }),
  keys_kept: KeyCount('Number of other keys of the account that remain valid until they expire.'),
  keys_revoked: KeyCount('Number of other keys of the account that were revoked.'),
})
export type CreatedAccountKey = Static<typeof CreatedAccountKey>

export const AccountPage = Page('accounts', Account)
export type AccountPage = Static<typeof AccountPage>

/** Request body to set a sandbox's tier. */
export const SetTier = T.Object({ tier: Choice(TIERS, { description: 'The new tier.' }) })
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
    summary: 'Create an account and its first API key',
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
    summary: 'Create another API key for an account',
    description: 'For an account that lost its keys. Existing keys stay valid unless `revoke_others` is true.',
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
      'All its credentials get 401 until it is reactivated: keys, tokens and the connection keys granted to it. ' +
      'Its data stays, and accounts with access to its sandboxes keep it.',
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
    summary: 'Erase an account and all its data',
    description:
      'Erases its sandboxes with their content, its keys, the connections granted to it and its stored replies. ' +
      'Audit logs stay for the operator. An account of a token issuer is created again, empty, if one of its tokens ' +
      'is used later. To block such an account, suspend it instead.',
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
    summary: 'Show an audit log, including that of erased sandboxes and accounts, newest first',
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
  code: ShownOnce('Signs in to the console once.'),
  url: Maybe(
    T.String({ description: 'The console’s URL with the code in its fragment; null if this service has no console.' }),
  ),
  expires_at: Moment('When it expires: ten minutes after its creation.'),
})
export type ConsoleCode = Static<typeof ConsoleCode>

/** Request body of the console sign-in. */
export const ConsoleSignIn = T.Object({
  code: T.String({ minLength: 1, maxLength: CODE_CHARS_MAX, description: 'The code from the link, unchanged.' }),
  cookie: T.Optional(
    T.Boolean({ default: false, description: 'True sets the session cookie instead of returning a key.' }),
  ),
})
export type ConsoleSignIn = Static<typeof ConsoleSignIn>

/** Response of the console sign-in. The key is shown only once. */
export const ConsoleSignedIn = T.Object({
  api_key: ShownOnce('An API key of the account, which can be listed and revoked like any other; null with `cookie`.'),
  expires_at: Moment('When the key or the session expires: twelve hours after the exchange.'),
})
export type ConsoleSignedIn = Static<typeof ConsoleSignedIn>

const consoleTag = 'Console'
const make = { ...CHANGE, tag: consoleTag, audit: { none: 'a code changes nothing until it is used' } } as const

/** Operations to sign in to the console without pasting a key. */
export const consoleOperations = {
  createConsoleCode: operation({
    ...make,
    path: '/api/v1/console/codes',
    summary: 'Create a link that signs in to the console',
    description:
      'The code works once, within ten minutes. It becomes invalid if a key of the account is revoked before it ' +
      'is used, so a leaked key cannot leave a valid code behind.',
    access: 'account',
    member: 'viewer',
    reply: { json: ConsoleCode },
  }),
  createAccountConsoleCode: operation({
    ...make,
    path: '/api/v1/admin/accounts/:user_id/console-codes',
    summary: 'Create a link that signs an account in to the console',
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
      'With `cookie: true` the reply sets the session cookie `__Host-cairn_session` and creates no key. A ' +
      'used, expired or unknown code gets the same error. Attempts with invalid codes are limited for each ' +
      'address.',
    access: 'public',
    audit: { event: 'console.signed_in' },
    body: { json: ConsoleSignIn },
    reply: { json: ConsoleSignedIn },
    faults: ['unauthorized', 'https_required', 'csrf', 'rate_limited', 'unavailable'],
  }),
}

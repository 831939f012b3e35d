import { AcceptInvitation, MEMBER_ROLES } from './member.ts'
import { CHANGE, operation, READ } from './operation.ts'
import { Choice, Done, Maybe, Moment, Nullable, ReplyId, type Static, Type as T } from './schema.ts'

const CODE_CHARS_MAX = 4096
const STATE_CHARS_MAX = 512
const URL_CHARS_MAX = 2048
const ERROR_CHARS_MAX = 256
const INVITATION_CHARS_MAX = 128
const ACCOUNT_CHARS_MAX = 255

/** The caller: an account or a member of it, and the session if a browser is signed in. */
export const Session = T.Object({
  session_id: Nullable(ReplyId('session', 'The session; null for a key or a token.')),
  user_id: T.String({ description: 'The account.' }),
  display_name: T.String({ description: 'The name of the member, or of the account.' }),
  member_id: Nullable(ReplyId('member', 'The member; null for a caller who acts as the account.')),
  role: Nullable(
    Choice(MEMBER_ROLES, { description: 'The member’s role; null for a caller who acts as the account.' }),
  ),
  email: Nullable(T.String({ description: 'The member’s address.' })),
  signed_in_at: Maybe(Moment('When the session began.')),
  expires_at: Maybe(Moment('When the session ends at the latest: 12 hours after it began.')),
  idle_expires_at: Maybe(Moment('When the session ends unless it is used: 2 hours after the last use.')),
})
export type Session = Static<typeof Session>

/** Response to a sign-in that sets the session cookie. */
export const SignedIn = T.Object({
  user_id: T.String({ description: 'The account.' }),
  member_id: Nullable(ReplyId('member', 'The member; null for a session that acts as the account.')),
  expires_at: Moment('When the session ends.'),
})
export type SignedIn = Static<typeof SignedIn>

const tag = 'Sign-in'
const accept = T.Optional(T.String({ description: 'With `text/html` an error is a page too.' }))
const redirect = { status: 302, when: 'The browser is redirected.' } as const

/** Operations for signing in and out with a browser. */
export const authOperations = {
  beginSignIn: operation({
    ...READ,
    tag,
    access: 'public',
    path: '/api/v1/auth/login',
    summary: 'Redirect a browser to the identity provider',
    description:
      'Needs `CAIRN_OIDC_ISSUER`. Open it in a browser; it sets a short-lived cookie. With `invitation`, a browser ' +
      'that comes from elsewhere (`Sec-Fetch-Site`) first gets a page that asks whether to join.',
    query: T.Object({
      invitation: T.Optional(
        T.String({ minLength: 1, maxLength: INVITATION_CHARS_MAX, description: 'The code of an invitation.' }),
      ),
      account: T.Optional(
        T.String({
          minLength: 1,
          maxLength: ACCOUNT_CHARS_MAX,
          description: 'The account to sign in to, for a person who is a member of several.',
        }),
      ),
    }),
    headers: T.Object({ accept }),
    reply: { text: 'text/html', otherwise: redirect },
    faults: ['sign_in_not_offered', 'provider_unreachable', 'https_required', 'rate_limited'],
  }),
  receiveSignIn: operation({
    ...READ,
    tag,
    access: 'public',
    path: '/api/v1/auth/callback',
    summary: 'Receive the browser from the identity provider',
    description: 'Sets the session cookie and redirects the browser to the console.',
    audit: { event: 'member.signed_in' },
    retry: 'ask',
    query: T.Object({
      state: T.Optional(T.String({ maxLength: STATE_CHARS_MAX })),
      code: T.Optional(T.String({ maxLength: CODE_CHARS_MAX })),
      iss: T.Optional(T.String({ maxLength: URL_CHARS_MAX })),
      error: T.Optional(T.String({ maxLength: ERROR_CHARS_MAX })),
    }),
    headers: T.Object({ accept }),
    reply: { text: 'text/html', otherwise: redirect },
    faults: [
      'sign_in_not_offered',
      'provider_unreachable',
      'https_required',
      'state_invalid',
      'access_denied',
      'exchange_failed',
      'invitation_invalid',
      'not_a_member',
      'groups_overage',
      'rate_limited',
      'unavailable',
    ],
  }),
  receiveBackchannelLogout: operation({
    ...CHANGE,
    tag,
    access: 'public',
    path: '/api/v1/auth/backchannel-logout',
    summary: 'End the sessions that the identity provider names',
    description:
      'OpenID Connect Back-Channel Logout 1.0: `application/x-www-form-urlencoded` with one `logout_token`, at most ' +
      '16 KiB.',
    audit: { event: 'session.ended_by_provider' },
    body: { bytes: true },
    reply: { json: Done },
    faults: ['sign_in_not_offered', 'provider_unreachable', 'logout_token_invalid', 'rate_limited', 'unavailable'],
  }),
  acceptInvitation: operation({
    ...CHANGE,
    tag,
    access: 'public',
    path: '/api/v1/auth/invitation',
    summary: 'Join an account by an invitation if no identity provider is configured',
    description: 'Sets the session cookie. With an identity provider open `/api/v1/auth/login?invitation=…`.',
    audit: { event: 'member.joined' },
    retry: 'ask',
    body: { json: AcceptInvitation, example: { code: 'cairninvite_…', display_name: 'Ada' } },
    reply: { json: SignedIn },
    faults: ['invitation_invalid', 'provider_signs_in', 'https_required', 'csrf', 'rate_limited', 'unavailable'],
  }),
  getSession: operation({
    ...READ,
    tag,
    access: 'account',
    path: '/api/v1/auth/session',
    summary: 'Show who you are and when your session ends',
    reply: { json: Session },
  }),
  signOut: operation({
    ...CHANGE,
    tag,
    access: 'account',
    member: 'viewer',
    path: '/api/v1/auth/logout',
    summary: 'End your session',
    description: 'With a key or a token there is no session, and nothing ends.',
    audit: { event: 'session.ended' },
    reply: { json: Done },
  }),
  endSessions: operation({
    ...CHANGE,
    tag,
    method: 'DELETE',
    access: 'account',
    member: 'viewer',
    path: '/api/v1/auth/sessions',
    summary: 'End all your sessions, in every browser',
    description:
      'A member ends its own sessions; a caller who acts as the account ends the sessions that act as the account.',
    audit: { event: 'session.all_ended' },
    reply: { json: Done },
  }),
}

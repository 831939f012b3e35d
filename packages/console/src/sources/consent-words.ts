import type { Source } from '@cairnstore/client'
import { t } from '../language/language.ts'

/** State of the consent of a source that uses OAuth. */
export type Consent = NonNullable<Source['authorization']>

const STATES: Readonly<Record<Consent['state'], string>> = {
  needs_authorization: t('Nothing is imported until somebody consents.'),
  pending: t('Waiting for your consent in the browser.'),
  confirming: t('One step is left: the confirmation code.'),
  authorized: t('Connected.'),
  needs_scopes: t('The server asks for more permissions. Nothing is imported until somebody grants them.'),
}

const REASONS: Readonly<Record<NonNullable<Consent['reason']>, string>> = {
  revoked: t('The consent was revoked here.'),
  grant_rejected: t('The consent was revoked at the provider, or has expired.'),
  client_rejected: t('The provider no longer knows this service.'),
  token_rejected: t('The provider no longer accepts the access that it granted.'),
  base_url_changed: t('The address of the server has changed.'),
  access_denied: t('The consent was declined.'),
  exchange_failed: t('The provider did not complete the consent.'),
  unreachable: t('The provider could not be reached.'),
  insufficient_scope: '',
}

/** Returns a sentence about the state of a consent, with the reason if it is missing. */
export function consentSentence({ state, reason, url }: Consent): string {
  if (state === 'pending' && !url) return t('Somebody else has started a consent. Wait for it, or start again.')
  const why = reason && (state === 'needs_authorization' || state === 'needs_scopes') ? REASONS[reason] : ''
  return [why, STATES[state]].filter((part) => part !== '').join(' ')
}

/** Returns true for a source that waits for a consent. */
export function isUnauthorized({ authorization: consent, status }: Source): boolean {
  // While a new consent is requested, the previous one is still used.
  return consent !== undefined && consent.state !== 'authorized' && status === 'error'
}

/** Returns the error of the last pull. Undefined if there is none or if the source waits for a consent. */
export function pullError(source: Source): string | undefined {
  return isUnauthorized(source) ? undefined : (source.last_error ?? undefined)
}

import { UnauthorizedError } from '@cairnstore/client'
import { Alert, Button, PasswordInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, useState } from 'react'
import { LanguageSwitch } from '../app/language-switch.tsx'
import { sentenceOf } from '../app/sentence-of.ts'
import { clientFor, signIn, useSession } from '../app/session.ts'
import { t } from '../language/language.ts'
import { rich } from '../language/rich.ts'
import classes from './sign-in-page.module.css'

/** Returns true for the operator's key and false for the key of an account. Throws for an invalid key. */
async function isOperators(key: string): Promise<boolean> {
  const cairn = clientFor(key)
  try {
    await cairn.listSandboxes({ limit: 1 })
    return false
  } catch (error) {
    if (!(error instanceof UnauthorizedError)) throw error
    await cairn.listAccounts({ limit: 1 })
    return true
  }
}

/** True if the service has an identity provider. The service writes it into the page. */
const HAS_PROVIDER = document.querySelector('meta[name="cairn-sign-in"]')?.getAttribute('content') === 'provider'

/** Shows the sign-in page: with the identity provider, or with a key that the tab keeps until it is closed. */
export function SignInPage(): ReactNode {
  const { notice } = useSession()
  const [key, setKey] = useState('')
  const signing = useMutation({
    mutationFn: async (given: string) => {
      signIn(given, await isOperators(given))
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (key.trim()) signing.mutate(key.trim())
  }
  return (
    <main className={classes.page}>
      <form className={classes.card} onSubmit={submit}>
        <img src="/console/icon.svg" alt="" width={40} height={40} />
        <h1>{t('Sign in to Cairn')}</h1>
        {notice && !signing.error && <Alert color="yellow">{notice}</Alert>}
        {signing.error && (
          <Alert color="red" role="alert">
            {sentenceOf(signing.error)}
          </Alert>
        )}
        {HAS_PROVIDER && (
          <Button component="a" href="/api/v1/auth/login">
            {t('Sign in with your organization')}
          </Button>
        )}
        <PasswordInput
          label={t('API key')}
          description={t('It stays in this tab until you close it, and is sent only to this service.')}
          placeholder="cairn_…"
          autoComplete="off"
          data-autofocus
          value={key}
          onChange={({ currentTarget }) => setKey(currentTarget.value)}
        />
        <Button
          type="submit"
          variant={HAS_PROVIDER ? 'default' : 'filled'}
          loading={signing.isPending}
          disabled={!key.trim()}
        >
          {HAS_PROVIDER ? t('Sign in with a key') : t('Sign in')}
        </Button>
        <details className={classes.help}>
          <summary>{t('Where do I get a key?')}</summary>
          <p>
            {rich('On the machine that runs Cairn, {console} prints a link that signs in without one.', {
              console: <code>cairn console</code>,
            })}{' '}
            {rich('{reset} prints a new key.', { reset: <code>cairn keys reset</code> })}{' '}
            {t('The operator of the service can make both for you.')}
          </p>
        </details>
        <div>
          <LanguageSwitch />
        </div>
      </form>
    </main>
  )
}

import { Alert, Button, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, useState } from 'react'
import { sentenceOf } from '../app/sentence-of.ts'
import { change, clientFor, signInWithCookie, storedSession, useSession } from '../app/session.ts'
import { t } from '../language/language.ts'
import classes from './sign-in-page.module.css'

/** Accepts an invitation: asks for the name that the other members see, and signs in. */
export function InvitationPage({ code }: { code: string }): ReactNode {
  const { apiKey, hasCookie } = useSession()
  const [name, setName] = useState('')
  const joining = useMutation({
    mutationFn: () => clientFor(undefined).acceptInvitation({ code, display_name: name.trim() }),
    onSuccess: signInWithCookie,
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    joining.mutate()
  }
  return (
    <main className={classes.page}>
      <form className={classes.card} onSubmit={submit}>
        <img src="/console/icon.svg" alt="" width={40} height={40} />
        <h1>{t('Join a team on Cairn')}</h1>
        {(apiKey || hasCookie) && (
          <Alert color="yellow">
            {t('You are signed in already. Joining signs you out and in as the new member.')}
          </Alert>
        )}
        {joining.error && (
          <Alert color="red" role="alert">
            {sentenceOf(joining.error)}
          </Alert>
        )}
        <TextInput
          label={t('Your name')}
          description={t('The other members see it.')}
          autoComplete="name"
          data-autofocus
          value={name}
          onChange={({ currentTarget }) => setName(currentTarget.value)}
        />
        <Button type="submit" loading={joining.isPending} disabled={!name.trim()}>
          {t('Join')}
        </Button>
        <Button variant="default" onClick={() => change(storedSession())}>
          {t('Not now')}
        </Button>
      </form>
    </main>
  )
}

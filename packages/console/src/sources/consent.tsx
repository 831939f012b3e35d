import type { Source } from '@cairnstore/client'
import { Button, TextInput } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, useState } from 'react'
import { sentenceOf } from '../app/sentence-of.ts'
import { useCairn } from '../app/session.ts'
import { t } from '../language/language.ts'
import { Sheet } from '../parts/page.tsx'
import { plainLine, webAddress } from '../parts/plain.ts'
import { QueryView } from '../parts/states.tsx'
import { type Consent, consentSentence } from './consent-words.ts'
import classes from './sources-page.module.css'

const LOOK_MS = 2_000

/** Shows the state of the consent that a hosted server needs, with actions that request, confirm and revoke it. */
export function ConsentSheet({ source }: { source: Source }): ReactNode {
  const { authorization } = source
  if (!authorization) return null
  return (
    <Sheet title={t('Consent')}>
      <ConsentSteps sourceId={source.data_source_id} consent={authorization} />
    </Sheet>
  )
}

/** Shows the consent of a source that was just connected. Shows `done` once it is authorized. */
export function NewConsent({ sourceId, done }: { sourceId: string; done: ReactNode }): ReactNode {
  const cairn = useCairn()
  const source = useQuery({
    queryKey: ['new-consent', sourceId],
    queryFn: () => cairn.getSource({ source_id: sourceId }),
    refetchInterval: LOOK_MS,
  })
  return (
    <QueryView of={source}>
      {({ authorization }) =>
        authorization && authorization.state !== 'authorized' ? (
          <ConsentSteps sourceId={sourceId} consent={authorization} />
        ) : (
          done
        )
      }
    </QueryView>
  )
}

/** Shows the next step for obtaining a consent. */
function ConsentSteps({ sourceId, consent }: { sourceId: string; consent: Consent }): ReactNode {
  const cairn = useCairn()
  const known = useQueryClient()
  const doing = useMutation({
    mutationFn: (verb: () => Promise<unknown>) => verb(),
    onSettled: () => known.invalidateQueries(),
  })
  const { state, url, issuer } = consent
  const link = state === 'pending' ? webAddress(url) : undefined
  const isStarted = state === 'pending' || state === 'confirming'
  const start = () => cairn.authorizeUserMcp({ source_id: sourceId })
  const confirm = (typed: string) =>
    cairn.completeUserMcpAuthorization({
      source_id: sourceId,
      ...(typed.includes('://') ? { callback_url: typed } : { code: typed }),
    })
  return (
    <div className={classes.made}>
      <p role="status">
        {consentSentence(consent)}
        {issuer && state === 'authorized' && ` ${t('Provider: {host}.', { host: plainLine(hostOf(issuer)) })}`}
      </p>
      {state !== 'authorized' && (
        <p className={classes.counts}>
          {t('If you consent, everybody who can edit this sandbox can act as you at the server.')}
        </p>
      )}
      {link && (
        <div>
          <Button component="a" href={link} target="_blank" rel="noopener noreferrer">
            {t('Consent at {host}', { host: plainLine(hostOf(issuer ?? link)) })}
          </Button>
        </div>
      )}
      {isStarted && (
        <ConfirmationForm isNeeded={state === 'confirming'} confirm={(typed) => doing.mutate(() => confirm(typed))} />
      )}
      {doing.error && <p role="alert">{sentenceOf(doing.error)}</p>}
      <div className={classes.verbs}>
        <Button
          variant={isStarted || state === 'authorized' ? 'default' : 'filled'}
          loading={doing.isPending}
          onClick={() => doing.mutate(start)}
        >
          {isStarted ? t('Start again') : state === 'authorized' ? t('Consent again') : t('Ask for consent')}
        </Button>
        {(state === 'authorized' || state === 'needs_scopes') && (
          <Button
            variant="default"
            disabled={doing.isPending}
            onClick={() => doing.mutate(() => cairn.revokeUserMcp({ source_id: sourceId }))}
          >
            {t('Revoke')}
          </Button>
        )}
      </div>
    </div>
  )
}

function ConfirmationForm({ isNeeded, confirm }: { isNeeded: boolean; confirm: (typed: string) => void }): ReactNode {
  const [typed, setTyped] = useState('')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    confirm(typed.trim())
  }
  return (
    <form onSubmit={submit} className={classes.confirm}>
      <TextInput
        label={isNeeded ? t('Confirmation code') : t('Confirmation code, if the browser shows one')}
        description={t('If the browser cannot reach Cairn after the consent, paste the address from its address bar.')}
        autoComplete="off"
        value={typed}
        onChange={({ currentTarget }) => setTyped(currentTarget.value)}
      />
      <Button type="submit" variant={isNeeded ? 'filled' : 'default'} disabled={typed.trim() === ''}>
        {t('Confirm')}
      </Button>
    </form>
  )
}

function hostOf(address: string): string {
  return URL.canParse(address) ? new URL(address).host : address
}

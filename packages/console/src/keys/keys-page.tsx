import type { ApiKey } from '@cairnstore/client'
import { Button, NativeSelect, Tabs, TextInput } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, useState } from 'react'
import { sentenceOf } from '../app/sentence-of.ts'
import { signOutEverywhere, useCairn, useSession } from '../app/session.ts'
import { useCaller } from '../app/shared-queries.ts'
import { t } from '../language/language.ts'
import { CopyableText } from '../parts/copyable-text.tsx'
import { ago, moment } from '../parts/format.ts'
import { Lines, SecondaryText } from '../parts/lines.tsx'
import { OneTimeSecret } from '../parts/one-time-secret.tsx'
import { Fields, Page, Sheet } from '../parts/page.tsx'
import { plainLine } from '../parts/plain.ts'
import { QueryView } from '../parts/states.tsx'
import { hostSettings } from './host-settings.ts'
import classes from './keys-page.module.css'

const LIFETIMES = [
  { value: '90', label: t('{n} day|{n} days', { n: 90 }) },
  { value: '365', label: t('{n} year|{n} years', { n: 1 }) },
  { value: '', label: t('Until revoked') },
]

/** Lists the account's keys and shows the settings that connect agents. */
export function KeysPage(): ReactNode {
  const [made, setMade] = useState<string | null>(null)
  return (
    <Page title={t('Keys & connect')} about={t('The keys of your account, and the settings that connect an agent.')}>
      <Sheet title={t('Your keys')}>
        <Keys />
        <NewKey onMade={setMade} />
        {made && <OneTimeSecret text={made} label={t('the key')} />}
      </Sheet>
      <Hosts made={made} />
      <Account />
    </Page>
  )
}

/** Shows the account's id, which others need for sharing a sandbox with it, and a button that ends its sessions. */
function Account(): ReactNode {
  const caller = useCaller().data
  const leaving = useMutation({ mutationFn: signOutEverywhere })
  if (!caller) return null
  return (
    <Sheet title={t('Your account')}>
      <p className={classes.about}>{t('People of other accounts need its id to share a sandbox with you:')}</p>
      <CopyableText text={caller.user_id} label={t('the account’s id')} />
      {caller.session_id !== null && (
        <>
          <p className={classes.about}>
            {t('You are signed in in this browser until {when}.', { when: moment(caller.expires_at) })}{' '}
            {t('Keys are not affected when you sign out.')}
          </p>
          <Button variant="default" loading={leaving.isPending} onClick={() => leaving.mutate()}>
            {t('Sign out in every browser')}
          </Button>
          {leaving.error && <p role="alert">{sentenceOf(leaving.error)}</p>}
        </>
      )}
    </Sheet>
  )
}

function NewKey({ onMade }: { onMade: (key: string | null) => void }): ReactNode {
  const cairn = useCairn()
  const known = useQueryClient()
  const [name, setName] = useState('')
  const [days, setDays] = useState(LIFETIMES[0]?.value ?? '')
  const making = useMutation({
    mutationFn: () => cairn.createApiKey({ name: name.trim(), ...(days && { expires_in_days: Number(days) }) }),
    onSuccess: ({ key }) => {
      onMade(key)
      setName('')
      return known.invalidateQueries({ queryKey: ['keys'] })
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    making.mutate()
  }
  return (
    <form onSubmit={submit}>
      <Fields>
        <TextInput
          label={t('Name of a new key')}
          placeholder={t('Laptop, Claude Code …')}
          value={name}
          error={making.error ? sentenceOf(making.error) : undefined}
          onChange={({ currentTarget }) => setName(currentTarget.value)}
        />
        <NativeSelect
          label={t('Valid for')}
          value={days}
          data={LIFETIMES}
          onChange={({ currentTarget }) => setDays(currentTarget.value)}
        />
        <Button type="submit" disabled={!name.trim()} loading={making.isPending}>
          {t('Make a key')}
        </Button>
      </Fields>
    </form>
  )
}

function Keys(): ReactNode {
  const cairn = useCairn()
  const { apiKey } = useSession()
  const keys = useQuery({ queryKey: ['keys', apiKey], queryFn: () => cairn.listApiKeys() })
  return (
    <QueryView of={keys}>
      {(all) => (
        <Lines>
          {all.map((key) => (
            <KeyLine key={key.id} of={key} isOwn={apiKey?.startsWith(key.key_prefix) === true} />
          ))}
        </Lines>
      )}
    </QueryView>
  )
}

function KeyLine({ of: key, isOwn }: { of: ApiKey; isOwn: boolean }): ReactNode {
  const cairn = useCairn()
  const known = useQueryClient()
  const [isSure, setSure] = useState(false)
  const revoking = useMutation({
    mutationFn: () => cairn.revokeApiKey({ key_id: key.id }),
    onSuccess: () => known.invalidateQueries({ queryKey: ['keys'] }),
  })
  const until = key.expires_at ? t('expires {when}', { when: ago(key.expires_at, Date.now()) }) : t('never expires')
  const used = t('used {n} time|used {n} times', { n: key.use_count })
  return (
    <li>
      <span>
        <strong>
          <bdi>{plainLine(key.name)}</bdi>
        </strong>{' '}
        <code>{key.key_prefix}…</code>
        {isOwn && ` ${t('(the one you are signed in with)')}`}
        <SecondaryText>
          {key.is_expired ? t('expired') : until} ·{' '}
          {key.last_used_at
            ? `${used}, ${t('last {when}', { when: ago(key.last_used_at, Date.now()) })}`
            : t('never used')}
        </SecondaryText>
      </span>
      {revoking.error && <span role="alert">{sentenceOf(revoking.error)}</span>}
      {isSure ? (
        <Button size="compact-sm" color="red" loading={revoking.isPending} onClick={() => revoking.mutate()}>
          {isOwn ? t('Revoke, and sign out') : t('Revoke for good')}
        </Button>
      ) : (
        <Button
          size="compact-sm"
          variant="default"
          aria-label={t('Revoke {name}', { name: key.name })}
          onClick={() => setSure(true)}
        >
          {t('Revoke')}
        </Button>
      )}
    </li>
  )
}

function Hosts({ made }: { made: string | null }): ReactNode {
  const { sandboxId = '' } = useSession()
  const hosts = hostSettings(location.origin, sandboxId, made ?? undefined)
  return (
    <Sheet title={t('Connect an agent to this sandbox')}>
      <p className={classes.about}>
        {t('Give each agent a key of its own, so that you can revoke each separately.')}{' '}
        {made ? t('The key that you just made is filled in.') : t('Make a key above to have it filled in here.')}
      </p>
      <Tabs defaultValue={hosts[0]?.id}>
        <Tabs.List>
          {hosts.map(({ id, host }) => (
            <Tabs.Tab key={id} value={id}>
              {host}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {hosts.map(({ id, host, where, text }) => (
          <Tabs.Panel key={id} value={id} pt="sm">
            <p className={classes.about}>{where}</p>
            <CopyableText text={text} label={t('the lines for {host}', { host })} />
          </Tabs.Panel>
        ))}
      </Tabs>
    </Sheet>
  )
}

import type { Cairn, Provider, ProviderConnection } from '@cairnstore/client'
import { Alert, Button, NativeSelect, PasswordInput, Textarea, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type FormEvent, type ReactNode, useState } from 'react'
import { sentenceOf } from '../app/sentence-of.ts'
import { useCairn } from '../app/session.ts'
import { fromApi, sentencesFromApi, t } from '../language/language.ts'
import { CopyableText } from '../parts/copyable-text.tsx'
import { plainLine } from '../parts/plain.ts'
import { labelOf } from '../parts/words.ts'
import { NewConsent } from './consent.tsx'
import { fieldsOf, type SettingField, valuesOf } from './setting-fields.ts'
import classes from './sources-page.module.css'

interface ConnectFormProps {
  provider: Provider
  way: ProviderConnection
}

type Typed = Readonly<Record<string, string>>

/** Shows the form that registers a source of this product. If the service returns a secret, shows it once. */
export function ConnectForm({ provider, way }: ConnectFormProps): ReactNode {
  const cairn = useCairn()
  const known = useQueryClient()
  // A website has no product name, and it changes less often than the content of a product.
  const isWeb = provider.provider === 'web'
  const [typed, setTyped] = useState<Typed>({
    name: isWeb ? '' : provider.name,
    [EVERY.name]: isWeb ? DAY_SECONDS : DEFAULT_SECONDS,
    ...INITIAL,
  })
  const offered = allFields(way)
  const hasKind = offered.some(({ name }) => name === 'auth_kind')
  const fields = hasKind ? offered.filter(({ name }) => isUsed(name, typed)) : offered
  const connecting = useMutation({
    mutationFn: () => connect(cairn, provider, way, fields, typed),
    onSuccess: () => known.invalidateQueries(),
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    connecting.mutate()
  }
  const shown = (field: SettingField) => (
    <Field
      key={field.name}
      field={field}
      value={typed[field.name] ?? ''}
      onChange={(value) => setTyped({ ...typed, [field.name]: value })}
    />
  )
  if (connecting.data) return <Made product={provider.name} {...connecting.data} />
  return (
    <form className={classes.form} onSubmit={submit}>
      {connecting.error && (
        <Alert color="red" role="alert">
          {sentenceOf(connecting.error)}
        </Alert>
      )}
      {fields.filter(({ name }) => !ADVANCED.has(name)).map(shown)}
      {fields.some(({ name }) => ADVANCED.has(name)) && (
        <details>
          <summary>{t('More settings')}</summary>
          <div className={classes.more}>{fields.filter(({ name }) => ADVANCED.has(name)).map(shown)}</div>
        </details>
      )}
      <div>
        <Button type="submit" loading={connecting.isPending}>
          {t('Connect')}
        </Button>
      </div>
    </form>
  )
}

/** Initial values of the form. OAuth is the only kind of authorization that most hosted servers accept. */
const INITIAL: Typed = { auth_kind: 'oauth' }
/** Kinds of authorization of a tool server, by the setting that they use. */
const USED_BY: Readonly<Record<string, readonly string[]>> = {
  token: ['bearer', 'header_token'],
  auth_header: ['header_token'],
  scopes: ['oauth'],
  client_id: ['oauth'],
  client_secret: ['oauth'],
}
const ADVANCED: ReadonlySet<string> = new Set([
  'scopes',
  'client_id',
  'client_secret',
  'app_namespace',
  'allowed_tools',
  'ingest_tool_calls',
  'server_profile',
  'profile_parameters',
  'rate_cap_per_minute',
  'webhook_rate_cap_per_minute',
])

function isUsed(name: string, { auth_kind: kind = '' }: Typed): boolean {
  return USED_BY[name]?.includes(kind) ?? true
}

const NAME: SettingField = {
  name: 'name',
  description: t('A name for this source.'),
  placeholder: '',
  kind: 'text',
  choices: [],
  isRequired: true,
}

const DEFAULT_SECONDS = '900'
const DAY_SECONDS = '86400'
const EVERY: SettingField = {
  ...NAME,
  name: 'poll_interval_seconds',
  label: t('Interval'),
  description: t('How often the service looks for changes.'),
  kind: 'choice',
  choices: [
    { value: DEFAULT_SECONDS, label: t('every 15 minutes') },
    { value: '3600', label: t('every hour') },
    { value: DAY_SECONDS, label: t('every day') },
    { value: '604800', label: t('every week') },
  ],
}

/** Returns all fields: the name, the product's secret, its settings, and how often it is polled. */
function allFields({ settings, settings_in: place, credential, ingestion_mode }: ProviderConnection): SettingField[] {
  // The ingestion mode was chosen before, so it is not a field.
  const own = fieldsOf(settings, credential).filter(({ name }) => name !== 'name' && name !== 'ingestion_mode')
  const isApart = place !== null && credential !== null
  const secret: SettingField[] = isApart
    ? [
        {
          ...NAME,
          name: credential,
          description: t('It is stored encrypted, and never shown again.'),
          kind: 'secret',
          isRequired: false,
        },
      ]
    : []
  return [NAME, ...secret, ...own, ...(place !== null && ingestion_mode === 'polling' ? [EVERY] : [])]
}

interface MadeSource {
  sourceId?: string
  url?: string | null
  secret?: string | null
  needsConsent?: boolean
}

async function connect(
  cairn: Cairn,
  { provider }: Provider,
  way: ProviderConnection,
  fields: readonly SettingField[],
  typed: Typed,
): Promise<MadeSource> {
  const values = valuesOf(fields, typed)
  const { ingestion_mode, settings_in: place, credential, path } = way
  if (path.endsWith('/user-mcp')) {
    const made = await cairn.createUserMcp({ ...values, ingestion_mode } as unknown as Parameters<
      Cairn['createUserMcp']
    >[0])
    return { sourceId: made.data_source_id ?? undefined, needsConsent: made.authorization !== undefined }
  }
  if (path.endsWith('/linear')) {
    const made = await cairn.createTracker({ ...values, ingestion_mode } as unknown as Parameters<
      Cairn['createTracker']
    >[0])
    return { sourceId: made.data_source_id ?? undefined }
  }
  const { name, [EVERY.name]: seconds, ...rest } = values as { name: string } & Record<string, unknown>
  const secret = credential ? rest[credential] : undefined
  const settings = Object.fromEntries(Object.entries(rest).filter(([key]) => key !== credential))
  const made = await cairn.createSource({
    provider,
    name,
    ingestion_mode,
    ...(place && { [place]: settings }),
    ...(seconds !== undefined && { poll_interval_seconds: Number(seconds) }),
    ...(credential && secret !== undefined && { [credential]: secret }),
  })
  return { sourceId: made.data_source_id, url: made.webhook_url, secret: made.webhook_signing_secret }
}

function Made({ product, sourceId, url, secret, needsConsent }: MadeSource & { product: string }): ReactNode {
  const connected = (
    <p>
      {t('Connected.')}{' '}
      {sourceId && (
        <Link to="/sources/$sourceId" params={{ sourceId }}>
          {url ? t('Open the source') : t('See its first run')}
        </Link>
      )}
    </p>
  )
  if (needsConsent && sourceId) return <NewConsent sourceId={sourceId} done={connected} />
  return (
    <div className={classes.made} role="status">
      {connected}
      {url && (
        <>
          <p>{t('Set this address as the webhook in {product}:', { product: plainLine(fromApi(product)) })}</p>
          <CopyableText text={url} label={t('the address')} />
        </>
      )}
      {secret && (
        <>
          <p>
            {t('Senders that do not sign their requests send this secret as a bearer token. It is shown only once:')}
          </p>
          <CopyableText text={secret} label={t('the secret')} />
        </>
      )}
    </div>
  )
}

interface FieldProps {
  field: SettingField
  value: string
  onChange: (value: string) => void
}

/** Kinds of authorization in words. */
const KINDS: Readonly<Record<string, string>> = {
  oauth: t('Consent in the browser (OAuth)'),
  bearer: t('A token'),
  header_token: t('A token in another header'),
  none: t('None'),
}

function Field({ field, value, onChange }: FieldProps): ReactNode {
  const { name, label = labelOf(name), placeholder, kind, choices, isRequired } = field
  const common = { label, description: sentencesFromApi(field.description), value, required: isRequired }
  if (kind === 'choice') {
    const named = choices.map(({ value, label }) => ({ value, label: KINDS[value] ?? label }))
    const data = isRequired ? named : [{ value: '', label: '–' }, ...named]
    return <NativeSelect {...common} data={data} onChange={({ currentTarget }) => onChange(currentTarget.value)} />
  }
  if (kind === 'secret') {
    return (
      <PasswordInput {...common} autoComplete="off" onChange={({ currentTarget }) => onChange(currentTarget.value)} />
    )
  }
  if (kind === 'list' || kind === 'json') {
    return (
      <Textarea
        {...common}
        autosize
        minRows={2}
        placeholder={kind === 'list' ? t('One per line') : '{ … }'}
        onChange={({ currentTarget }) => onChange(currentTarget.value)}
      />
    )
  }
  return (
    <TextInput
      {...common}
      placeholder={placeholder}
      type={kind === 'number' ? 'number' : 'text'}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
    />
  )
}

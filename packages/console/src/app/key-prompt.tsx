import { Alert, Button, PasswordInput } from '@mantine/core'
import { type FormEvent, type ReactNode, useState } from 'react'
import { t } from '../language/language.ts'
import classes from './key-prompt.module.css'
import { hasKey, storeKey, useSession } from './session.ts'

/** Matches 32 bytes in base64, with or without padding. */
const KEY = /^[A-Za-z0-9+/]{43}=?$/

/** Asks for the sandbox's customer-managed key. The key is only in memory and is lost when the page reloads. */
export function KeyPrompt(): ReactNode {
  const { sandboxId } = useSession()
  const [key, setKey] = useState('')
  const given = key.trim()
  const isOther = sandboxId !== undefined && hasKey(sandboxId)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (sandboxId && KEY.test(given)) storeKey(sandboxId, given)
  }
  const error =
    given === ''
      ? isOther && t('This key does not decrypt the sandbox. Enter the key that the sandbox was encrypted with.')
      : !KEY.test(given) && t('This is not a key. A key is 32 bytes in base64, which are 44 characters.')
  return (
    <Alert color="gray" title={t('This sandbox is encrypted with a key that only you hold')}>
      <form className={classes.form} onSubmit={submit}>
        <p>
          {t('Its records, entities and answers cannot be shown without it. The service keeps no copy of the key.')}
        </p>
        <PasswordInput
          label={t('The sandbox’s key')}
          description={t('32 bytes in base64. It stays in this page’s memory and is gone when you reload.')}
          autoComplete="off"
          value={key}
          error={error}
          onChange={({ currentTarget }) => setKey(currentTarget.value)}
        />
        <Button type="submit" disabled={!KEY.test(given)}>
          {t('Use this key')}
        </Button>
      </form>
    </Alert>
  )
}

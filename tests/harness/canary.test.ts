import { expect, it } from 'vitest'
import { assertNoCanary, CANARY } from './canary.ts'
import { onEachApp } from './test-app.ts'

it('a text with the canary is rejected in any spelling', () => {
  expect(() => assertNoCanary(`<b>Sandbox of ${CANARY.toUpperCase()}</b>`, 'The answer')).toThrow('The answer holds')
  expect(() => assertNoCanary('nothing of it', 'The answer')).not.toThrow()
})

onEachApp((app) => {
  it('a canary of another tenant in an answer, row or log line fails the suite', async () => {
    const { newAccount, logged, assertUnseen } = app()
    const { call } = await newAccount()
    await assertUnseen()
    const named = (display_name: string) => call('POST', '/api/v1/users/me/profile', { display_name })
    await expect(named(`Of ${CANARY}`)).rejects.toThrow('POST /api/v1/users/me/profile holds')
    await expect(assertUnseen()).rejects.toThrow('A row of acct_')
    await named('Somebody')
    await assertUnseen()
    logged.push(`{"note":"${CANARY}"}`)
    await expect(assertUnseen()).rejects.toThrow('A log line holds')
    logged.pop()
  })
})

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Env } from '../../packages/server/src/config/env.ts'
import type { Sql } from '../../packages/server/src/db/open.ts'
import { type IdentityProvider, openIdentityProvider } from './identity-provider.ts'
import type { EngineKind } from './postgres.ts'
import { openTestApp, type TestAccount, type TestApp } from './test-app.ts'

/** Callback address that the app registers at its identity provider. */
export const CALLBACK = 'http://127.0.0.1:8484/api/v1/auth/callback'

/** An app with an identity provider. */
export interface ProviderApp {
  idp: IdentityProvider
  app: TestApp
  /** The account that people join, with its key. */
  account: TestAccount
  /** Settings with which the app was opened, to open another node. */
  env: Env
  close(): Promise<void>
}

/** Opens an app whose people sign in at an identity provider. */
export async function openProviderApp(sql: Sql, kind: EngineKind, settings: Env): Promise<ProviderApp> {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-provider-'))
  const idp = await openIdentityProvider(CALLBACK)
  const first = await openTestApp(sql, kind, { CAIRN_DATA: folder })
  const made = await first.newAccount()
  await first.cairn.close()
  const env = {
    CAIRN_DATA: folder,
    CAIRN_ALLOW_LOOPBACK: 'on',
    CAIRN_OIDC_ISSUER: idp.issuer,
    CAIRN_OIDC_CLIENT_ID: idp.clientId,
    CAIRN_OIDC_CLIENT_SECRET: idp.clientSecret,
    CAIRN_OIDC_SCOPES: 'openid profile email groups',
    CAIRN_OIDC_ACCOUNT: made.userId,
    ...settings,
  }
  const app = await openTestApp(sql, kind, env)
  const account: TestAccount = {
    ...made,
    call: (...[method, path, body, headers]) =>
      app.anonymous(method, path, body, { authorization: `Bearer ${made.key}`, ...headers }),
  }
  const close = async () => {
    await app.cairn.close()
    await idp.close()
    rmSync(folder, { recursive: true, force: true })
  }
  return { idp, app, account, env, close }
}

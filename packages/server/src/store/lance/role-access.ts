import { fromHttp } from '@aws-sdk/credential-provider-http'
import { fromTokenFile } from '@aws-sdk/credential-provider-web-identity'
import { fromInstanceMetadata } from '@smithy/credential-provider-imds'
import type { Log } from '../../base/log.ts'
import type { RoleSettings } from '../../config/config.ts'
import type { StorageRoot } from '../port.ts'

/** Temporary credentials of an AWS role, renewed before they expire. */
export type RoleAccess = Awaited<ReturnType<typeof openRoleAccess>>

/** The instance metadata service responds at once or not at all. The timeout is in milliseconds. */
const METADATA = { timeout: 1_000, maxRetries: 1 }
/** Credentials are renewed after this fraction of their lifetime. Requests in progress can use the rest. */
const USED_SHARE = 3 / 4
const RENEW_MS = { least: 1_000, most: 3_600_000, afterFailure: 10_000 } as const

interface Keys {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken?: string | undefined
  readonly expiration?: Date | undefined
}

/** Opens the storage with this process's AWS role: token file, container or instance. Rejects without one. */
export async function openRoleAccess(
  { uri, options }: StorageRoot,
  settings: RoleSettings,
  { log, nowMs }: { log: Log; nowMs: () => number },
) {
  const provide = providerOf(settings)
  const changes: (() => void)[] = []
  let keys: Keys = await provide()
  let current: Readonly<Record<string, string>> = withKeys(options, keys)
  let timer: NodeJS.Timeout | undefined
  const later = (ms: number): void => {
    timer = setTimeout(renew, ms).unref()
  }
  const renew = async (): Promise<void> => {
    try {
      const next = await provide()
      const isChanged = next.accessKeyId !== keys.accessKeyId || next.sessionToken !== keys.sessionToken
      keys = next
      if (isChanged) current = withKeys(options, keys)
      if (timer === undefined) return
      later(msUntilRenewal(keys, nowMs()))
      if (isChanged) for (const changed of changes) changed()
    } catch (error) {
      log.warn('the credentials of the role could not be renewed; retrying', { error })
      if (timer !== undefined) later(RENEW_MS.afterFailure)
    }
  }
  later(msUntilRenewal(keys, nowMs()))
  return {
    /** The storage with the current credentials. Its options become a new object when they change. */
    root: {
      uri,
      get options() {
        return current
      },
    },
    /** Calls `changed` whenever the credentials change. */
    onChange: (changed: () => void) => void changes.push(changed),
    stop: () => {
      clearTimeout(timer)
      timer = undefined
    },
  }
}

function providerOf(settings: RoleSettings): () => Promise<Keys> {
  const { region, roleArn, tokenFile, sessionName, tokenService, containerPath, containerUrl } = settings
  if (roleArn !== undefined && tokenFile !== undefined) {
    return fromTokenFile({
      roleArn,
      webIdentityTokenFile: tokenFile,
      roleSessionName: sessionName ?? 'cairn',
      clientConfig: { region, ...(tokenService !== undefined && { endpoint: tokenService }) },
    })
  }
  if (containerPath !== undefined || containerUrl !== undefined) {
    const { containerToken, containerTokenFile } = settings
    return fromHttp({
      ...(containerPath !== undefined && { awsContainerCredentialsRelativeUri: containerPath }),
      ...(containerUrl !== undefined && { awsContainerCredentialsFullUri: containerUrl }),
      ...(containerToken !== undefined && { awsContainerAuthorizationToken: containerToken }),
      ...(containerTokenFile !== undefined && { awsContainerAuthorizationTokenFile: containerTokenFile }),
    })
  }
  return fromInstanceMetadata(METADATA)
}

function withKeys(options: StorageRoot['options'], { accessKeyId, secretAccessKey, sessionToken }: Keys) {
  return { ...options, accessKeyId, secretAccessKey, ...(sessionToken !== undefined && { sessionToken }) }
}

function msUntilRenewal({ expiration }: Keys, nowMs: number): number {
  if (expiration === undefined) return RENEW_MS.most
  return Math.min(RENEW_MS.most, Math.max(RENEW_MS.least, (expiration.getTime() - nowMs) * USED_SHARE))
}

import { ConfigError } from './config-error.ts'

/**
 * Parses CAIRN_CORS_ORIGINS, the allowed CORS origins. Throws ConfigError for invalid origins and wildcards. Wildcards
 * are not allowed, because a page on an allowed origin can act as its user.
 */
export function toOrigins(value: string | undefined): string[] {
  const origins = (value ?? '').split(',').map((part) => part.trim())
  return origins.filter(Boolean).map((text) => {
    const { origin, protocol } = URL.canParse(text) ? new URL(text) : { origin: '', protocol: '' }
    if (origin === text && !text.includes('*') && ['http:', 'https:'].includes(protocol)) return text
    throw new ConfigError(`CAIRN_CORS_ORIGINS must list sites such as "https://app.example"; "${text}" is not a site.`)
  })
}

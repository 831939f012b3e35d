import { ConfigError } from './config-error.ts'

/**
 * Reads CAIRN_CORS_ORIGINS: the sites whose pages may use the API, none where it is not set. Throws ConfigError for
 * what is no site; each is named alone, since a page that may ask acts as whoever opens it.
 */
export function toOrigins(value: string | undefined): string[] {
  const origins = (value ?? '').split(',').map((part) => part.trim())
  return origins.filter(Boolean).map((text) => {
    const { origin, protocol } = URL.canParse(text) ? new URL(text) : { origin: '', protocol: '' }
    if (origin === text && !text.includes('*') && ['http:', 'https:'].includes(protocol)) return text
    throw new ConfigError(`CAIRN_CORS_ORIGINS must list sites such as "https://app.example"; "${text}" is none.`)
  })
}

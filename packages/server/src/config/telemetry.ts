import { validateHeaderName, validateHeaderValue } from 'node:http'
import { MS_PER_SECOND } from '../base/clock.ts'
import { ConfigError } from './config-error.ts'
import type { Env } from './env.ts'

export interface TelemetryConfig {
  hasTraces: boolean
  hasMetrics: boolean
  metricsEveryMs: number
}

const PROTOCOL = 'http/protobuf'
const EVERY_MS = 60 * MS_PER_SECOND
const EXPORTERS = ['otlp', 'none']
const ENDPOINT = 'OTEL_EXPORTER_OTLP_ENDPOINT'
const HEADERS = [
  'OTEL_EXPORTER_OTLP_HEADERS',
  'OTEL_EXPORTER_OTLP_TRACES_HEADERS',
  'OTEL_EXPORTER_OTLP_METRICS_HEADERS',
] as const

/** Reads the standard OTEL_ settings. Null disables export, and the SDK is not loaded. Throws ConfigError. */
export function readTelemetry(env: Env): TelemetryConfig | null {
  if (env.OTEL_SDK_DISABLED?.toLowerCase() === 'true') return null
  const hasTraces = isExported('OTEL_TRACES_EXPORTER', env, 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT')
  const hasMetrics = isExported('OTEL_METRICS_EXPORTER', env, 'OTEL_EXPORTER_OTLP_METRICS_ENDPOINT')
  if (!hasTraces && !hasMetrics) return null
  if ((env.OTEL_EXPORTER_OTLP_PROTOCOL ?? PROTOCOL) !== PROTOCOL) {
    throw new ConfigError(`OTEL_EXPORTER_OTLP_PROTOCOL must be ${PROTOCOL}, which collectors accept on port 4318.`)
  }
  for (const name of HEADERS) assertHeaders(name, env[name])
  return { hasTraces, hasMetrics, metricsEveryMs: toInterval(env.OTEL_METRIC_EXPORT_INTERVAL) }
}

function isExported(name: keyof Env, env: Env, own: keyof Env): boolean {
  const endpoint = env[own] ?? env[ENDPOINT]
  const exporter = env[name] ?? 'otlp'
  if (!EXPORTERS.includes(exporter)) throw new ConfigError(`${name} must be one of ${EXPORTERS.join(', ')}.`)
  if (exporter === 'none' || endpoint === undefined) return false
  if (!URL.canParse(endpoint) || !/^https?:$/.test(new URL(endpoint).protocol)) {
    throw new ConfigError(`${env[own] ? own : ENDPOINT} must be a URL that starts with http:// or https://.`)
  }
  return true
}

/**
 * Throws ConfigError for malformed headers. The SDK would silently drop them, and the collector would then reject
 * everything.
 */
function assertHeaders(name: string, value: string | undefined): void {
  if (value === undefined || value.split(',').every(isHeader)) return
  throw new ConfigError(
    `${name} must be name=value, separated by commas, as x-api-key=abc,x-team=core. ` +
      'Within a value write a comma as %2C, a semicolon as %3B and a percent sign as %25.',
  )
}

function isHeader(pair: string): boolean {
  const [name = '', ...rest] = pair.split('=')
  try {
    const value = decodeURIComponent(rest.join('=').trim())
    validateHeaderName(decodeURIComponent(name.trim()))
    validateHeaderValue(name, value)
    return value !== '' && !pair.includes(';')
  } catch {
    return false
  }
}

function toInterval(value: string | undefined): number {
  if (value === undefined) return EVERY_MS
  if (/^[1-9]\d{0,8}$/.test(value)) return Number(value)
  throw new ConfigError('OTEL_METRIC_EXPORT_INTERVAL must be a whole number of milliseconds.')
}

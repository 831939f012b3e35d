import { MS_PER_SECOND } from '../base/clock.ts'
import { ConfigError } from './config-error.ts'
import type { Env } from './env.ts'

/** What a collector of OpenTelemetry is told. */
export interface TelemetryConfig {
  hasTraces: boolean
  hasMetrics: boolean
  metricsEveryMs: number
}

const PROTOCOL = 'http/protobuf'
const EVERY_MS = 60 * MS_PER_SECOND
const EXPORTERS = ['otlp', 'none']

/** What the standard settings ask for; null: nothing is told, and nothing of the SDK is loaded. Throws ConfigError. */
export function readTelemetry(env: Env): TelemetryConfig | null {
  if (env.OTEL_SDK_DISABLED?.toLowerCase() === 'true') return null
  const { OTEL_EXPORTER_OTLP_ENDPOINT: all } = env
  const hasTraces = exports('OTEL_TRACES_EXPORTER', env, env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT ?? all)
  const hasMetrics = exports('OTEL_METRICS_EXPORTER', env, env.OTEL_EXPORTER_OTLP_METRICS_ENDPOINT ?? all)
  if (!hasTraces && !hasMetrics) return null
  if ((env.OTEL_EXPORTER_OTLP_PROTOCOL ?? PROTOCOL) !== PROTOCOL) {
    throw new ConfigError(`OTEL_EXPORTER_OTLP_PROTOCOL is ${PROTOCOL} alone here, which collectors take at port 4318.`)
  }
  return { hasTraces, hasMetrics, metricsEveryMs: toInterval(env.OTEL_METRIC_EXPORT_INTERVAL) }
}

function exports(name: 'OTEL_TRACES_EXPORTER' | 'OTEL_METRICS_EXPORTER', env: Env, endpoint: string | undefined) {
  const exporter = env[name] ?? 'otlp'
  if (!EXPORTERS.includes(exporter)) throw new ConfigError(`${name} is one of ${EXPORTERS.join(', ')} here.`)
  if (exporter === 'none' || endpoint === undefined) return false
  if (!URL.canParse(endpoint) || !/^https?:$/.test(new URL(endpoint).protocol)) {
    throw new ConfigError('OTEL_EXPORTER_OTLP_ENDPOINT is a URL that starts with http:// or https://.')
  }
  return true
}

function toInterval(value: string | undefined): number {
  if (value === undefined) return EVERY_MS
  if (/^[1-9]\d{0,8}$/.test(value)) return Number(value)
  throw new ConfigError('OTEL_METRIC_EXPORT_INTERVAL is a whole number of milliseconds.')
}

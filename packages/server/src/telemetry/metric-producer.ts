import { type Attributes, type HrTime, ValueType } from '@opentelemetry/api'
import { resourceFromAttributes } from '@opentelemetry/resources'
import { AggregationTemporality, DataPointType, type MetricData, type MetricProducer } from '@opentelemetry/sdk-metrics'
import type { MetricObject, Registry } from 'prom-client'
import { type Clock, MS_PER_SECOND } from '../base/clock.ts'

/** A sample of the Prometheus registry with its labels. */
interface SeriesValue {
  value: number
  labels: Record<string, string | number>
  /** Name with `_bucket`, `_sum` or `_count`. Set only for histograms. */
  metricName?: string
}

interface Times {
  startTime: HrTime
  endTime: HrTime
}

const NS_PER_MS = 1e6

/** Returns a producer of the metrics of `/metrics`, with the same names, in OpenTelemetry's format. */
export function metricProducerOf(registry: Registry, clock: Clock): MetricProducer {
  const startTime = hrTimeOf(clock.now())
  return {
    collect: async () => {
      const times = { startTime, endTime: hrTimeOf(clock.now()) }
      const found = (await registry.getMetricsAsJSON()) as unknown as (MetricObject & { values: SeriesValue[] })[]
      const metrics = found.flatMap((one) => toMetric(one, times) ?? [])
      const scope = { name: 'cairn' }
      return {
        resourceMetrics: { resource: resourceFromAttributes({}), scopeMetrics: [{ scope, metrics }] },
        errors: [],
      }
    },
  }
}

function hrTimeOf(at: Date): HrTime {
  const ms = at.getTime()
  return [Math.floor(ms / MS_PER_SECOND), (ms % MS_PER_SECOND) * NS_PER_MS]
}

function toMetric(found: MetricObject & { values: SeriesValue[] }, times: Times): MetricData | undefined {
  const { name, help: description } = found
  const base = {
    descriptor: { name, description, unit: unitOf(name), valueType: ValueType.DOUBLE },
    aggregationTemporality: AggregationTemporality.CUMULATIVE,
  }
  // NaN means that the value is currently unknown. Such samples are left out.
  const known = found.values.filter(({ value }) => !Number.isNaN(value))
  const point = ({ value, labels }: SeriesValue) => ({ ...times, attributes: labels as Attributes, value })
  switch (String(found.type)) {
    case 'counter':
      return { ...base, dataPointType: DataPointType.SUM, isMonotonic: true, dataPoints: known.map(point) }
    case 'gauge':
      return { ...base, dataPointType: DataPointType.GAUGE, dataPoints: known.map(point) }
    case 'histogram':
      return { ...base, dataPointType: DataPointType.HISTOGRAM, dataPoints: histogramsOf(name, known, times) }
    default:
      return undefined
  }
}

/** Returns the UCUM unit for the suffix of a metric's name. */
function unitOf(name: string): string {
  if (/_seconds(?:_total)?$/.test(name)) return 's'
  return /_bytes(?:_total)?$/.test(name) ? 'By' : ''
}

function histogramsOf(name: string, values: readonly SeriesValue[], times: Times) {
  const series = new Map<string, { attributes: Attributes; upTo: [number, number][]; sum: number; count: number }>()
  for (const { metricName, value, labels } of values) {
    const { le, ...attributes } = labels
    const key = JSON.stringify(attributes)
    const one = series.get(key) ?? { attributes, upTo: [], sum: 0, count: 0 }
    series.set(key, one)
    if (metricName === `${name}_sum`) one.sum = value
    else if (metricName === `${name}_count`) one.count = value
    else if (le !== undefined && le !== '+Inf') one.upTo.push([Number(le), value])
  }
  return [...series.values()].map(({ attributes, upTo, sum, count }) => {
    const ordered = upTo.sort(([a], [b]) => a - b)
    const cumulated = [...ordered.map(([, value]) => value), count]
    const counts = cumulated.map((value, at) => value - (cumulated[at - 1] ?? 0))
    const buckets = { boundaries: ordered.map(([boundary]) => boundary), counts }
    return { ...times, attributes, value: { buckets, sum, count } }
  })
}

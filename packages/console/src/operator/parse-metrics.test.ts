import { expect, it } from 'vitest'
import { parseMetrics } from './parse-metrics.ts'

it('metrics are summed over their labels, and invalid values are skipped', () => {
  const text = [
    '# HELP cairn_records_total Records applied.',
    'cairn_records_total{outcome="written"} 12',
    'cairn_records_total{outcome="failed"} 3',
    'cairn_backlog_records 4',
    'cairn_backlog_records_seconds NaN',
    '',
    'no metric at all',
  ]
  expect([...parseMetrics(text.join('\n'))]).toEqual([
    ['cairn_records_total', 15],
    ['cairn_backlog_records', 4],
  ])
})

import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { parse } from 'yaml'
import { issue, newHook, records } from '../harness/hook.ts'
import { newSandbox, onEachApp, putRecords } from '../harness/test-app.ts'

/** Labels that Prometheus adds to every scraped metric, and its own metrics. */
const OF_PROMETHEUS = { labels: ['job', 'instance'], names: ['up'] }
const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')

interface Rule {
  alert: string
  expr: string
  annotations: { summary: string; runbook: string }
}

interface Panel {
  title: string
  targets?: { expr: string; legendFormat: string }[]
}

const rules = (parse(read('deploy/prometheus/alerts.yaml')) as { groups: { rules: Rule[] }[] }).groups.flatMap(
  (group) => group.rules,
)
const board = JSON.parse(read('deploy/grafana/cairn.json')) as {
  panels: Panel[]
  templating: { list: { query: string | { query: string } }[] }
}
const targets = board.panels.flatMap((panel) => panel.targets ?? [])

/** Returns the metrics in an expression with the labels that select them, and the labels that the expression keeps. */
function usesIn(expr: string) {
  const text = expr.replace(/"[^"]*"/g, '""')
  const kept = [...text.matchAll(/\b(?:by|on)\s*\(([^)]*)\)/g)].flatMap(([, names = '']) => names.split(/\s*,\s*/))
  const figures = [...text.matchAll(/\b((?:cairn|process|nodejs)_\w+|up)\b(?:\{([^}]*)\})?/g)].map(
    ([, name = '', selected = '']) => ({
      name,
      labels: [...selected.matchAll(/(\w+)\s*[=!]/g)].map(([, label]) => label!),
    }),
  )
  return { kept: kept.filter((label) => label !== ''), figures }
}

onEachApp((app) => {
  it('every metric and label of the dashboard and the alerts is exported by /metrics', async () => {
    const hook = await newHook(app(), 'github')
    await hook.send(issue(1, 'One'), { 'x-github-event': 'issues', 'x-github-delivery': 'one' })
    await records(app(), hook, 1)
    const { call } = await app().newAccount()
    const sandbox = await newSandbox(call)
    await putRecords(call, sandbox, [{ external_id: '1', type: 'message', text: 'The pump is blue.' }])
    await call('POST', `${sandbox.query}/search`, { query: 'pump' })
    const { body } = await app().anonymous('GET', '/metrics')
    const printed = new Map<string, Set<string>>()
    for (const line of String(body).split('\n')) {
      const [, type] = /^# TYPE (\S+)/.exec(line) ?? []
      const [, name, labels = ''] = /^([a-z_]\w*)(?:\{([^}]*)\})? /.exec(line) ?? []
      const known = printed.get(type ?? name ?? '') ?? new Set()
      for (const [, label] of labels.matchAll(/(\w+)="/g)) known.add(label!)
      printed.set(type ?? name ?? '', known)
    }
    const expressions = [...rules.map(({ expr }) => expr), ...targets.map(({ expr }) => expr)]
    expect(expressions.length).toBeGreaterThan(40)
    for (const expr of expressions) {
      const { kept, figures } = usesIn(expr)
      expect(figures.length, expr).toBeGreaterThan(0)
      const own = figures.filter(({ name }) => !OF_PROMETHEUS.names.includes(name))
      expect(own.filter(({ name }) => !printed.has(name)).map(({ name }) => name)).toEqual([])
      const has = (name: string, label: string) => printed.get(name)!.has(label) || OF_PROMETHEUS.labels.includes(label)
      expect(own.flatMap(({ name, labels }) => labels.filter((label) => !has(name, label)))).toEqual([])
      expect(own.flatMap(({ name }) => kept.filter((label) => !has(name, label)))).toEqual([])
    }
    for (const { expr, legendFormat } of targets) {
      const shown = [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label]) => label!)
      const [figure] = usesIn(expr).figures
      const has = (label: string) => printed.get(figure!.name)!.has(label) || OF_PROMETHEUS.labels.includes(label)
      expect(
        shown.filter((label) => !has(label)),
        expr,
      ).toEqual([])
    }
  })
})

it('the spans that they name are recorded', () => {
  const measured = [...read('packages/server/src/base/observe.ts').matchAll(/^ {2}'([a-z_]+\.[a-z_]+)': /gm)].map(
    ([, work]) => work!,
  )
  const named = [...rules, ...targets].flatMap(({ expr }) =>
    [...expr.matchAll(/work=~?"([^"]+)"/g)].map(([, one]) => one!),
  )
  expect(named.length).toBeGreaterThan(5)
  for (const pattern of named.flatMap((one) => one.split('|'))) {
    expect(
      measured.some((work) => new RegExp(`^${pattern}$`).test(work)),
      pattern,
    ).toBe(true)
  }
})

it('the table of metrics lists each of the service’s own', () => {
  const documented = new Set(read('docs/operating.md').match(/\bcairn_[a-z_]+/g))
  const shown = ['register-metrics', 'metrics'].flatMap(
    (file) => read(`packages/server/src/http/${file}.ts`).match(/'cairn_[a-z_]+'/g) ?? [],
  )
  expect(shown.map((name) => name.slice(1, -1)).filter((name) => !documented.has(name))).toEqual([])
})

it('each alert links to its runbook section, and that section names the alert', () => {
  const parts = new Map(
    read('docs/runbooks.md')
      .split(/^## /m)
      .slice(1)
      .map((part) => {
        const [heading = ''] = part.split('\n', 1)
        return [heading.toLowerCase().replaceAll(' ', '-'), part] as const
      }),
  )
  for (const { alert, annotations } of rules) {
    const [page, anchor = ''] = annotations.runbook.split('#')
    expect(page).toBe('docs/runbooks.md')
    expect(parts.get(anchor), alert).toContain(`\`${alert}\``)
  }
  const named = [...parts.values()].flatMap((part) => part.match(/`Cairn[A-Za-z]+`/g) ?? [])
  expect(named.filter((name) => !rules.some(({ alert }) => `\`${alert}\`` === name))).toEqual([])
})

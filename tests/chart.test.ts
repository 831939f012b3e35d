import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, it } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'

const CHART = 'deploy/chart'
const read = (path: string) => readFileSync(`${CHART}/${path}`, 'utf8')
const values = parse(read('values.yaml')) as Record<string, unknown>

/** The fields of a manifest that the tests read. */
interface Manifest {
  kind: string
  metadata: { name: string; labels?: Record<string, string> }
  spec: {
    selector?: Record<string, string> & { matchLabels?: Record<string, string> }
    podSelector?: { matchLabels: Record<string, string> }
    template?: { metadata: { labels: Record<string, string> }; spec: { containers: Container[] } }
    rules?: { host: string }[]
  }
}

interface Container {
  env: { name: string; value?: string }[]
  envFrom?: { secretRef: { name: string } }[]
  startupProbe: object
  readinessProbe: object
  livenessProbe: object
}

const runs = (program: string, ...version: string[]) => spawnSync(program, version).status === 0
const hasHelm = runs('helm', 'version')
const hasValidator = hasHelm && runs('kubernetes-validate', '--version')

const CLUSTER = ['publicUrl=https://cairn.example.com', 'existingSecret=cairn']
const SINGLE = ['publicUrl=https://cairn.example.com', 'mode=single']

/** A helm that was built from source assumes a version of Kubernetes that is too old. */
const KUBERNETES = ['--kube-version', '1.31.0']

function helm(args: string[], sets: string[]) {
  return spawnSync('helm', [...args, ...KUBERNETES, ...sets.flatMap((set) => ['--set', set])], { encoding: 'utf8' })
}

function render(sets: string[]): Manifest[] {
  const { status, stdout, stderr } = helm(['template', 'demo', CHART], sets)
  expect(stderr).toBe('')
  expect(status).toBe(0)
  return parseAllDocuments(stdout).flatMap((each) => (each.toJS() as Manifest | null) ?? [])
}

const isSubset = (part: Record<string, string>, whole: Record<string, string>) =>
  Object.entries(part).every(([name, value]) => whole[name] === value)

it('the default values satisfy the schema, and unknown or wrong ones do not', () => {
  const validate = new Ajv2020().compile(JSON.parse(read('values.schema.json')) as object)
  expect(validate(values)).toBe(true)
  expect(validate({ ...values, mode: 'two' })).toBe(false)
  expect(validate({ ...values, replicas: 2 })).toBe(false)
})

it('templates use only values that values.yaml has', () => {
  const missing = readdirSync(`${CHART}/templates`).flatMap((file) =>
    [...read(`templates/${file}`).matchAll(/\.Values\.([A-Za-z.]+)/g)].flatMap(([, path = '']) => {
      const found = path.split('.').reduce<unknown>((value, key) => (value as Record<string, unknown>)?.[key], values)
      return found === undefined ? [`${file}: ${path}`] : []
    }),
  )
  expect(missing).toEqual([])
})

describe.skipIf(!hasHelm)('rendered by helm', () => {
  it('the chart has no lint errors', () => {
    const { stdout, status } = helm(['lint', '--strict', CHART], CLUSTER)
    expect(stdout).toContain('0 chart(s) failed')
    expect(status).toBe(0)
  })

  it('required values are named when they are missing', () => {
    expect(helm(['template', 'demo', CHART], []).stderr).toContain('existingSecret is empty')
    expect(helm(['template', 'demo', CHART], ['existingSecret=a']).stderr).toContain('publicUrl is empty')
  })

  it('api and worker have their role, their address from the pod, secrets by reference, and probes', () => {
    const manifests = render(CLUSTER)
    const deployments = manifests.filter(({ kind }) => kind === 'Deployment')
    expect(deployments.map(({ metadata }) => metadata.name)).toEqual(['demo-api', 'demo-worker'])
    for (const [at, { spec }] of deployments.entries()) {
      const [container] = spec.template!.spec.containers
      const env = new Map(container!.env.map(({ name, value }) => [name, value]))
      expect(env.get('CAIRN_ROLE')).toBe(['api', 'worker'][at])
      expect(env.get('CAIRN_NODE_URL')).toBe('http://$(POD_IP):8484')
      expect(container!.envFrom).toEqual([{ secretRef: { name: 'cairn' } }])
      const { startupProbe, readinessProbe, livenessProbe } = container!
      expect([startupProbe, readinessProbe, livenessProbe].every(Boolean)).toBe(true)
    }
    expect(manifests.filter(({ kind }) => kind === 'Secret')).toEqual([])
  })

  it('the service and one policy select the api only, and each budget and deployment its own pods', () => {
    const manifests = render(CLUSTER)
    const pods = manifests.flatMap(({ spec }) => {
      const labels = spec?.template?.metadata.labels
      return labels ? [labels] : []
    })
    const selectedBy = ({ spec, kind }: Manifest) => {
      const { selector: services, podSelector } = spec
      const selector = kind === 'Service' ? services : (services?.matchLabels ?? podSelector?.matchLabels)
      return pods
        .filter((labels) => isSubset(selector as Record<string, string>, labels))
        .map((labels) => labels['app.kubernetes.io/component'])
    }
    const selecting = ['Service', 'PodDisruptionBudget', 'Deployment', 'NetworkPolicy']
    const found = manifests
      .filter(({ kind }) => selecting.includes(kind))
      .map((each) => `${each.kind} ${each.metadata.name}: ${selectedBy(each).join(', ')}`)
    expect(found.sort()).toEqual([
      'Deployment demo-api: api',
      'Deployment demo-worker: worker',
      'NetworkPolicy demo-api: api',
      'NetworkPolicy demo: api, worker',
      'PodDisruptionBudget demo-api: api',
      'PodDisruptionBudget demo-worker: worker',
      'Service demo: api',
    ])
  })

  it('one process has a volume, no address for others and needs no secret', () => {
    const [process] = render(SINGLE).filter(({ kind }) => kind === 'StatefulSet')
    const [container] = process!.spec.template!.spec.containers
    expect(container!.env.map(({ name }) => name)).not.toContain('CAIRN_NODE_URL')
    expect(container!.envFrom).toBeUndefined()
  })

  it('an ingress takes its host from the public address', () => {
    const [ingress] = render([...CLUSTER, 'ingress.enabled=true']).filter(({ kind }) => kind === 'Ingress')
    expect(ingress!.spec.rules![0]!.host).toBe('cairn.example.com')
  })

  it.skipIf(!hasValidator)('all manifests satisfy the schemas of Kubernetes', () => {
    for (const sets of [[...CLUSTER, 'ingress.enabled=true', 'ingress.tlsSecret=tls'], SINGLE]) {
      for (const version of ['1.30', '1.33']) {
        const { stdout: input } = helm(['template', 'demo', CHART], sets)
        const checked = spawnSync('kubernetes-validate', ['--strict', '-k', version, '-'], { input, encoding: 'utf8' })
        expect(checked.stdout + checked.stderr).not.toMatch(/ERROR/)
        expect(checked.status).toBe(0)
      }
    }
  })
})

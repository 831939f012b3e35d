import { readFileSync } from 'node:fs'
import { AUTHORIZATION_REASONS, type Health, operations, type Source } from '@cairnstore/contract'
import { call, pagesOf, sandboxOf } from './call.ts'
import type { Options, ParsedArguments } from './inputs.ts'
import { EXIT_FAILED, Failure, jsonText, print, printable, usageFailure } from './output.ts'
import type { OwnCommand } from './own-command.ts'
import { isOpenToOthers } from './profiles.ts'
import { accountId } from './run-command.ts'
import { examineCluster, examineMachine, type Finding } from './run-server.ts'
import { isLoopback, profilesPath, readSettings, type Settings } from './settings.ts'

const { getReadiness, getOpenApi, getSandbox, listSources } = operations

/** Command that lists problems and how to fix each. */
export const DOCTOR: OwnCommand = {
  words: ['doctor'],
  operands: '',
  summary: 'Find problems with the settings, this machine and the service, and say how to fix them',
  about:
    'Checks the profile, the service, its version, the key, the sandbox and sources that wait for consent. If the ' +
    'service is installed here, also its settings, data folder, disk, port and engines. With ' +
    '--cluster, checks instead all processes that share the database of DATABASE_URL: whether each is alive ' +
    'and ready, version, memory, graphs, clock, leases, waiting work, migrations, connections and ' +
    'the bucket. Changes nothing. Exits with 1 if there is a problem.',
  given: {},
  options: { cluster: { form: 'FLAG', meaning: 'Check all processes that share one database.' } },
  isInside: true,
  examples: ['doctor', 'doctor --profile work --json', 'doctor --cluster'],
  run: examineAll,
}

async function examineAll({ operands, options }: ParsedArguments): Promise<number> {
  if (operands[0] !== undefined)
    throw usageFailure(`Unexpected operand "${operands[0]}". This command takes no operands.`)
  const node = nodeOf(process.versions.node)
  const found = [node, ...(options.cluster ? await examineCluster() : await examined(options))]
  const wire = found.map(({ about, isGood, sentence }) => ({ about, is_good: isGood, sentence }))
  await print(options.json === true ? jsonText(wire) : forPeople(found))
  return found.every(({ isGood }) => isGood) ? 0 : EXIT_FAILED
}

async function examined(options: Options): Promise<Finding[]> {
  return [...(await machine(options)), ...(await service(options))]
}

const NODE_LEAST = [20, 19] as const

/** Returns a finding on whether this Node version can run both the command line and the service. */
export function nodeOf(version: string): Finding {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const isGood = major > NODE_LEAST[0] || (major === NODE_LEAST[0] && minor >= NODE_LEAST[1])
  const least = NODE_LEAST.join('.')
  return finding('node', isGood, isGood ? `Node ${version}.` : `Node ${version} is too old: install ${least} or newer.`)
}

/** Checks this machine, if the service runs on it. */
async function machine(options: Options): Promise<Finding[]> {
  const settings = await tried(() => readSettings('public', options))
  if (settings instanceof Failure || !isLoopback(settings.url)) return []
  const found = await examineMachine()
  return (
    found ?? [
      finding(
        'engines',
        true,
        'The service is not installed with this program, so its local settings were not checked.',
      ),
    ]
  )
}

async function service(options: Options): Promise<Finding[]> {
  const path = profilesPath()
  const isOpen = isOpenToOthers(path)
  const file = isOpen
    ? finding('profile', false, `Other users of this machine can read the keys in ${path}. Run: chmod 600 ${path}`)
    : finding('profile', true, `Profiles are in ${path}.`)
  const settings = await tried(() => readSettings('public', options))
  if (settings instanceof Failure) return [file, finding('profile', false, settings.message)]
  const answer = await tried(() => call(getReadiness, {}, settings))
  if (answer instanceof Failure) return [file, finding('service', false, answer.message)]
  return [
    file,
    finding('service', true, `A service is ready at ${settings.url}.`),
    ...((answer as Health).warnings ?? []).map((warning) => finding('service', false, warning)),
    await versionOf(settings),
    ...(await accountOf(options)),
  ]
}

async function versionOf(settings: Settings): Promise<Finding> {
  const document = await tried(() => call(getOpenApi, {}, settings))
  if (document instanceof Failure) return finding('version', false, document.message)
  const theirs = (document as { info?: { version?: string } }).info?.version
  const ours = ownVersion()
  const isGood = theirs === ours
  const detail = isGood ? '' : '. Install the same version of both, or some commands may fail.'
  return finding('version', isGood, `The service is ${theirs}, this program ${ours}${detail || '.'}`)
}

async function accountOf(options: Options): Promise<Finding[]> {
  const settings = await tried(() => readSettings('viewer', options))
  if (settings instanceof Failure) return [finding('key', false, settings.message)]
  const userId = await tried(() => accountId(settings))
  if (userId instanceof Failure) return [finding('key', false, userId.message)]
  const key = finding('key', true, `${settings.keyName} is a key of the account ${userId}.`)
  const id = await tried(() => sandboxOf(settings))
  if (id instanceof Failure) return [key, finding('sandbox', false, id.message)]
  const sandbox = await tried(() => call(getSandbox, { sandbox_id: id }, settings))
  if (sandbox instanceof Failure) {
    const next = '`cairn sandboxes` lists the sandboxes; `cairn init` selects one.'
    return [key, finding('sandbox', false, `${id}: ${sandbox.message} ${next}`)]
  }
  const { name, status } = sandbox as { name: string; status: string }
  if (status === 'active') {
    return [key, finding('sandbox', true, `${id} "${name}" is active.`), ...(await sourcesOf(id, settings))]
  }
  const next = `\`cairn sandboxes reactivate ${id}\` reactivates it.`
  return [key, finding('sandbox', false, `${id} "${name}" is ${status} and takes no requests. ${next}`)]
}

/** Lists the sources that wait for a user's consent. */
async function sourcesOf(sandboxId: string, settings: Settings): Promise<Finding[]> {
  const found: Finding[] = []
  try {
    const listing = { operation: listSources, columns: [], asked: { sandbox_id: sandboxId, status: 'error' }, settings }
    for await (const page of pagesOf({ ...listing, asJson: true, isFollowed: false })) {
      for (const source of page as unknown as Source[]) {
        const { data_source_id: id, name, authorization } = source
        if (!authorization || authorization.state === 'authorized') continue
        const why = authorization.reason ? AUTHORIZATION_REASONS[authorization.reason] : 'Nobody has consented yet.'
        const next = `Run \`cairn sources authorize ${id}\`.`
        found.push(finding('source', false, `${id} "${name}" is not read (${authorization.state}). ${why} ${next}`))
      }
    }
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    found.push(finding('source', false, error.message))
  }
  return found
}

async function tried<T>(work: () => T | Promise<T>): Promise<T | Failure> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof Failure) return error
    throw error
  }
}

function finding(about: string, isGood: boolean, sentence: string): Finding {
  return { about, isGood, sentence }
}

export function ownVersion(): string {
  const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
  return version
}

const ABOUT_CHARS = 10

function forPeople(found: readonly Finding[]): string {
  const wrong = found.filter(({ isGood }) => !isGood).length
  const lines = found.map(({ about, isGood, sentence }) => {
    const shown = printable(sentence.replaceAll('\n', ' '))
    return `${isGood ? 'good ' : 'WRONG'}  ${about.padEnd(ABOUT_CHARS)} ${shown}`
  })
  const last = wrong === 0 ? 'No problems found.' : wrong === 1 ? '1 problem found.' : `${wrong} problems found.`
  return `${[...lines, last].join('\n')}\n`
}

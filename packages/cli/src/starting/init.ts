import { operations } from '@cairnstore/contract'
import { call, type NamedSandbox } from '../call.ts'
import type { Options, ParsedArguments } from '../inputs.ts'
import { Failure, fieldsTable, jsonText, print, printable, usageFailure } from '../output.ts'
import type { OwnCommand } from '../own-command.ts'
import {
  assertProfileName,
  assertWritable,
  DEFAULT_PROFILE,
  type Profile,
  type Profiles,
  profileOf,
  readProfiles,
  writeOwn,
} from '../profiles.ts'
import {
  DEFAULT_URL,
  fromEnvironment,
  localUrl,
  namedLocalUrl,
  profilesPath,
  readUrl,
  type Settings,
} from '../settings.ts'
import { findKey, findSandbox, openPrompts, type Prompts } from './find-key.ts'

/** Command that sets up everything the others need: address, key, sandbox and profile. */
export const INIT: OwnCommand = {
  words: ['init'],
  operands: '',
  summary: 'Set up an address, a key and a sandbox, and store them as a profile',
  about:
    'Uses the key from CAIRN_API_KEY, else from a profile for this service. Otherwise creates one with the ' +
    'operator’s key of a local service, and an account if there is none. On a terminal it ' +
    'asks for missing values. Overwrites a profile for the same service, unless --profile names another. Only ' +
    'you can read the file.',
  given: {},
  options: {
    url: {
      form: 'TEXT',
      meaning:
        'Address of the service. Default: CAIRN_URL, then CAIRN_PORT or the service of CAIRN_DATA, then the ' +
        `profile, then the service of this clone's data folder, then ${DEFAULT_URL}.`,
    },
    sandbox: { form: 'TEXT', meaning: 'The sandbox to work in, by id or name. Created if there is none of that name.' },
    'user-id': { form: 'TEXT', meaning: 'The account to create a key for, if there are several.' },
    replace: { form: 'FLAG', meaning: 'Replace a profile that is for another service.' },
  },
  examples: ['init', 'init --sandbox "Field notes"', 'init --profile work --url https://cairn.example.com'],
  run: init,
}

async function init({ operands, options }: ParsedArguments): Promise<number> {
  if (operands[0] !== undefined)
    throw usageFailure(`Unexpected operand "${operands[0]}". This command takes no operands.`)
  const environment = fromEnvironment()
  const path = profilesPath()
  assertWritable(path)
  const kept = readProfiles(path)
  const named = textOf(options.profile) ?? environment.profile
  if (named !== undefined) assertProfileName(named)
  const asking = await openPrompts(options)
  const url = readUrl(await addressOf(options, profileOf(kept, named ?? kept.default), asking))
  const name = named ?? nameFor(url, kept)
  const before = profileOf(kept, name)
  if (before && before.url !== url && options.replace !== true) {
    throw usageFailure(
      `The profile "${name}" is for ${before.url}. Choose another name with --profile, or add --replace.`,
    )
  }
  const settings: Settings = { url, key: '', keyName: 'the key', sandbox: undefined, isQuiet: options.quiet === true }
  await assertThere(settings)
  const others = Object.values(kept.profiles).filter((each) => each.url === url)
  const known = [...new Set([environment.key, before?.key, ...others.map(({ key }) => key)])].flatMap(
    (key) => key ?? [],
  )
  const account = await findKey(settings, { known, userId: textOf(options['user-id']), asking })
  const opened = { ...settings, key: account.key }
  const wanted = textOf(options.sandbox)
  const { sandbox, there } = await findSandbox(opened, { wanted, owner: account.userId, before, asking })
  const profile: Profile = { url, key: account.key, sandbox_id: sandbox.sandbox_id }
  const isFirst = profileOf(kept, kept.default) === undefined
  writeOwn(path, {
    default: isFirst ? name : kept.default,
    profiles: { ...kept.profiles, [name]: profile },
  })
  const made = { profile: name, file: path, url, user_id: account.userId, key: account.from }
  const shown = { ...made, sandbox_id: sandbox.sandbox_id, sandbox: sandbox.name }
  const next = { isDefault: isFirst || name === kept.default, others: there.filter((each) => !isSame(each, sandbox)) }
  await print(options.json === true ? jsonText(shown) : forPeople(shown, next))
  return 0
}

/** Returns the name of the profile for this service, preferring the default one; else the default name. */
function nameFor(url: string, { default: usual, profiles }: Profiles): string {
  const names = [usual, ...Object.keys(profiles)]
  return names.find((name) => Object.hasOwn(profiles, name) && profiles[name]?.url === url) ?? DEFAULT_PROFILE
}

function isSame(one: NamedSandbox, other: NamedSandbox): boolean {
  return one.sandbox_id === other.sandbox_id
}

async function addressOf(options: Options, before: Profile | undefined, asking: Prompts | undefined): Promise<string> {
  const given = textOf(options.url) ?? fromEnvironment().url ?? namedLocalUrl()
  if (given !== undefined) return given
  const likely = before?.url ?? localUrl()
  return asking ? asking.text('Address of the service?', likely) : likely
}

/** Throws a Failure with instructions unless a Cairn service answers at the address. Sends no key. */
async function assertThere(settings: Settings): Promise<void> {
  const { url } = settings
  try {
    await call(operations.getReadiness, {}, settings)
    const document = (await call(operations.getOpenApi, {}, settings)) as { info?: { title?: unknown } }
    if (document.info?.title === SERVICE_TITLE) return
  } catch (error) {
    if (!(error instanceof Failure) || error.body.error !== 'unreachable') throw error
    throw failed('unreachable', `No service answers at ${url}. ${HOW_TO_START}`)
  }
  throw failed('unexpected_answer', `The server at ${url} is not a Cairn service. ${HOW_TO_START}`)
}

/** Title of the OpenAPI document of every Cairn service. */
const SERVICE_TITLE = 'Cairn'
const HOW_TO_START =
  'Start Cairn with `npm start` in a clone and leave it running. If it runs elsewhere, give its address with --url, ' +
  'or its port with CAIRN_PORT.'

function failed(error: string, detail: string): Failure {
  return new Failure(printable(detail), { error, detail })
}

/** Number of other sandboxes listed after one was chosen. */
const OTHERS_SHOWN = 3

function forPeople(
  { file, profile, ...rest }: Record<string, string>,
  { isDefault, others }: { isDefault: boolean; others: readonly NamedSandbox[] },
): string {
  const flag = isDefault ? '' : ` --profile ${profile}`
  // Names are quoted for a shell, because they can contain any character.
  const sandboxOptions = others
    .slice(0, OTHERS_SHOWN)
    .map(({ name }) => `--sandbox '${printable(name).replaceAll("'", "'\\''")}'`)
  return [
    `The profile "${profile}" is stored in ${printable(file!)}. Only you can read it.`,
    fieldsTable(rest).trimEnd(),
    '',
    'Next:',
    `  cairn add FILE|FOLDER…${flag}`,
    `  cairn ask "…"${flag}`,
    ...(sandboxOptions.length > 0 ? ['', 'To ask another sandbox:'] : []),
    ...sandboxOptions.map((option) => `  cairn ask "…" ${option}${flag}`),
    '',
  ].join('\n')
}

function textOf(value: Options[string]): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined
}

import type { Delivered } from '../connector.ts'
import {
  atSite,
  firstHost,
  type Gone,
  type MappedRecord,
  type RecordDraft,
  type RelationDraft,
  type Thing,
  thing,
} from '../draft.ts'
import { address, isThere, list, moment, pageUrl, pick, present, text } from '../pick.ts'
import { calledLogins, type ReferencePlace } from '../references.ts'

/** Addresses that the host generates for accounts, and the address of its own commits. */
const NO_REPLY = /@users\.noreply\.[\w.-]+$|^noreply@github\.com$/
const ACCOUNT = /^(?:(\d+)\+)?([a-z\d](?:[a-z\d-]*[a-z\d])?)@users\.noreply\.[\w.-]+$/i

/** A person, bot or organisation with an account. */
export function account(user: unknown): Thing | undefined {
  const login = text(user, 'login')
  const kind = text(user, 'type') === 'Organization' ? 'organisation' : 'person'
  return thing(
    kind,
    text(user, 'name') ?? login,
    { login, id: text(user, 'id'), url: text(user, 'html_url'), email: ownAddress(user) },
    { aliases: [login] },
  )
}

/** Whoever a commit names: a name and an address, and the login when the host knows whose address it is. */
export function committer(person: unknown): Thing | undefined {
  const [, id, made] = ACCOUNT.exec(address(person, 'email') ?? '') ?? []
  const login = text(person, 'username') ?? made
  const name = text(person, 'name') ?? login
  return thing('person', name, { email: ownAddress(person), login, id }, { aliases: [login] })
}

/** An address that a person reads; the ones that the host makes up tell nothing that the login does not. */
function ownAddress(person: unknown): string | undefined {
  const email = address(person, 'email')
  return email && !NO_REPLY.test(email) ? email : undefined
}

/** People that a text calls with `@`, of whom only the login is known. */
export function called(body: string | undefined): (Thing | undefined)[] {
  return calledLogins(body).map((login) => thing('person', login, { login }))
}

/** Where an item is read, and when it was made and changed. */
export function stamps(item: unknown): Pick<RecordDraft, 'url' | 'occurredAt' | 'asOf'> {
  return {
    url: text(item, 'html_url'),
    occurredAt: moment(item, 'created_at'),
    asOf: moment(item, 'updated_at'),
  }
}

/** Whether an event tells that something was deleted. The item's own time is that of its last edit and says nothing. */
export function gone(payload: unknown): Gone | false {
  return text(payload, 'action') === 'deleted' && {}
}

/** `owner/repository` of a delivery. */
export function fullName(payload: unknown): string | undefined {
  return text(payload, 'repository', 'full_name')
}

/** The repository as an entity, which it stays under its id when it is renamed or given away. */
export function repository(repo: unknown, former?: string): Thing | undefined {
  const name = text(repo, 'full_name') ?? text(repo, 'name')
  const identifiers = { url: text(repo, 'html_url'), id: text(repo, 'id') }
  return thing('repository', name, identifiers, { aliases: [text(repo, 'name'), former] })
}

/** Where references in the delivery's texts lead. */
export function placeOf(payload: unknown): ReferencePlace {
  return {
    repository: fullName(payload) ?? '',
    url: text(payload, 'repository', 'html_url'),
    issuePath: '/issues/',
  }
}

/**
 * An issue or pull request as an entity, called `owner/repository#12` and by its title. It stays one under its id when
 * its repository is renamed or given away.
 */
export function numbered(
  type: 'issue' | 'pull_request' | 'discussion',
  item: unknown,
  repo: string,
): Thing | undefined {
  const number = text(item, 'number')
  const url = pageUrl(item, 'html_url')
  return number === undefined
    ? undefined
    : thing(
        type,
        `${repo}#${number}`,
        { url, key: `${repo}#${number}`, id: ownId(type, item) },
        { aliases: [text(item, 'title')] },
      )
}

/** As an issue, a pull request has an id among the issues, and as what it is another one, by which it goes. */
function ownId(type: string, item: unknown): string | undefined {
  const isOwn = type === 'pull_request' ? isThere(item, 'head') : !isThere(item, 'pull_request')
  return isOwn ? text(item, 'id') : undefined
}

/** The milestone as an entity. */
export function milestone(item: unknown): Thing | undefined {
  return thing('milestone', text(item, 'title'), { url: text(item, 'html_url') })
}

/** The team as an entity. */
export function team(item: unknown): Thing | undefined {
  return thing('team', text(item, 'name'), { url: text(item, 'html_url') }, { aliases: [text(item, 'slug')] })
}

/** The names of an item's labels. */
export function labels(item: unknown): string[] {
  return present(list(item, 'labels').map((label) => text(label, 'name') ?? text(label)))
}

/** A label such as `area: billing` that says what the item is about, and not what kind of item it is. */
const TOPIC = /^(?:area|topic|component|module|product|team|domain|scope)\s*[:/]\s*(\S.*)$/i

/** The topics that labels name. */
export function topics(names: readonly string[]): (Thing | undefined)[] {
  return names.map((name) => thing('topic', TOPIC.exec(name)?.[1]))
}

/** Everyone assigned to an item. */
export function assignees(item: unknown): Thing[] {
  return present([...list(item, 'assignees'), pick(item, 'assignee')].map(account))
}

/** `subject predicate object` for each of the objects. */
export function each(
  subject: Thing | undefined,
  predicate: string,
  objects: readonly (Thing | string | undefined)[],
): RelationDraft[] {
  const seen = new Set<string>()
  return objects.flatMap((object) => {
    const key = JSON.stringify(object)
    if (!object || seen.has(key)) return []
    seen.add(key)
    return [{ subject, predicate, object }]
  })
}

/** Where addresses stand that lead to the host, those of every event about a repository first. */
const ADDRESSES = [
  ...['repository', 'issue', 'pull_request', 'sender'].map((part) => [part, 'html_url']),
  ...['repository', 'organization', 'sender'].map((part) => [part, 'url']),
]

/** Records as one host tells them: `github.com`, or a server of a company's own. */
export function atGithub(
  records: readonly MappedRecord[],
  { headers, body, settings }: Pick<Delivered, 'headers' | 'body' | 'settings'>,
): MappedRecord[] {
  const host = firstHost(body, ADDRESSES) ?? headers['x-github-enterprise-host']
  const site = text(settings.config, 'site') ?? host?.replace(/^api\.(?=github\.com$|.*\.ghe\.com$)/, '')
  return atSite(records, site, ({ id, login, key }) => Boolean(id ?? login) || String(key ?? '').includes('#'))
}

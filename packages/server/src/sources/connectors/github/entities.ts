import type { Delivered } from '../connector.ts'
import { address, hasObject, list, moment, pageUrl, pick, present, text } from '../pick.ts'
import type { ReferenceContext } from '../references.ts'
import {
  assignSite,
  type Entity,
  entity,
  firstHost,
  type Gone,
  type MappedRecord,
  type RecordDraft,
} from '../to-record.ts'

/** Email addresses that the host generates for accounts, and the address of its own commits. */
const NO_REPLY = /@users\.noreply\.[\w.-]+$|^noreply@github\.com$/
const ACCOUNT = /^(?:(\d+)\+)?([a-z\d](?:[a-z\d-]*[a-z\d])?)@users\.noreply\.[\w.-]+$/i

/** Returns the person or organization of an account. A bot is a person. */
export function account(user: unknown): Entity | undefined {
  const login = text(user, 'login')
  const kind = text(user, 'type') === 'Organization' ? 'organisation' : 'person'
  return entity(
    kind,
    text(user, 'name') ?? login,
    { login, id: text(user, 'id'), url: text(user, 'html_url'), email: ownAddress(user) },
    { aliases: [login] },
  )
}

/** Returns the person of a commit: name and email address, and the login if the host knows it. */
export function committer(person: unknown): Entity | undefined {
  const [, id, made] = ACCOUNT.exec(address(person, 'email') ?? '') ?? []
  const login = text(person, 'username') ?? made
  const name = text(person, 'name') ?? login
  return entity('person', name, { email: ownAddress(person), login, id }, { aliases: [login] })
}

/** Returns the person's real email address. A generated address adds nothing to the login. */
function ownAddress(person: unknown): string | undefined {
  const email = address(person, 'email')
  return email && !NO_REPLY.test(email) ? email : undefined
}

/** Returns an item's URL and its creation and update times. */
export function timestamps(item: unknown): Pick<RecordDraft, 'url' | 'occurredAt' | 'asOf'> {
  return {
    url: text(item, 'html_url'),
    occurredAt: moment(item, 'created_at'),
    asOf: moment(item, 'updated_at'),
  }
}

/** Returns a deletion if the event reports one. It has no time, because `updated_at` is the time of the last edit. */
export function gone(payload: unknown): Gone | false {
  return text(payload, 'action') === 'deleted' && {}
}

/** Returns `owner/repository` of a delivery. */
export function fullName(payload: unknown): string | undefined {
  return text(payload, 'repository', 'full_name')
}

/** Returns the repository as an entity. Its id does not change when it is renamed or transferred. */
export function repository(repo: unknown, former?: string): Entity | undefined {
  const name = text(repo, 'full_name') ?? text(repo, 'name')
  const identifiers = { url: text(repo, 'html_url'), id: text(repo, 'id') }
  return entity('repository', name, identifiers, { aliases: [text(repo, 'name'), former] })
}

/** Returns the repository against which references in the delivery's texts are resolved. */
export function referenceContext(payload: unknown): ReferenceContext {
  return {
    repository: fullName(payload) ?? '',
    url: text(payload, 'repository', 'html_url'),
    issuePath: '/issues/',
  }
}

/** Returns an issue, pull request or discussion as an entity: `owner/repository#12`, with its permanent id. */
export function numberedEntity(
  type: 'issue' | 'pull_request' | 'discussion',
  item: unknown,
  repo: string,
): Entity | undefined {
  const number = text(item, 'number')
  const url = pageUrl(item, 'html_url')
  return number === undefined
    ? undefined
    : entity(
        type,
        `${repo}#${number}`,
        { url, key: `${repo}#${number}`, id: ownId(type, item) },
        { aliases: [text(item, 'title')] },
      )
}

/** Returns the item's id. Undefined for a pull request that is listed as an issue, because it has another id there. */
function ownId(type: string, item: unknown): string | undefined {
  const isOwn = type === 'pull_request' ? hasObject(item, 'head') : !hasObject(item, 'pull_request')
  return isOwn ? text(item, 'id') : undefined
}

export function milestone(item: unknown): Entity | undefined {
  return entity('milestone', text(item, 'title'), { url: text(item, 'html_url') })
}

export function team(item: unknown): Entity | undefined {
  return entity('team', text(item, 'name'), { url: text(item, 'html_url') }, { aliases: [text(item, 'slug')] })
}

/** Returns the names of an item's labels. */
export function labels(item: unknown): string[] {
  return present(list(item, 'labels').map((label) => text(label, 'name') ?? text(label)))
}

/** A label with the subject of an item, such as `area: billing`, as opposed to its kind. */
const TOPIC = /^(?:area|topic|component|module|product|team|domain|scope)\s*[:/]\s*(\S.*)$/i

export function topics(names: readonly string[]): (Entity | undefined)[] {
  return names.map((name) => entity('topic', TOPIC.exec(name)?.[1]))
}

/** Returns everyone assigned to an item. */
export function assignees(item: unknown): Entity[] {
  return present([...list(item, 'assignees'), pick(item, 'assignee')].map(account))
}

/** Paths to URLs that contain the host's name. Paths in every repository event come first. */
const ADDRESSES = [
  ...['repository', 'issue', 'pull_request', 'sender'].map((part) => [part, 'html_url']),
  ...['repository', 'organization', 'sender'].map((part) => [part, 'url']),
]

/** Adds the host to records: `github.com`, or a company's own server. */
export function assignGithubSite(
  records: readonly MappedRecord[],
  { headers, body, settings }: Pick<Delivered, 'headers' | 'body' | 'settings'>,
): MappedRecord[] {
  const host = firstHost(body, ADDRESSES) ?? headers['x-github-enterprise-host']
  const site = text(settings.config, 'site') ?? host?.replace(/^api\.(?=github\.com$|.*\.ghe\.com$)/, '')
  return assignSite(records, site, ({ id, login, key }) => Boolean(id ?? login) || String(key ?? '').includes('#'))
}

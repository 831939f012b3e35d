import { type Thing, type Told, toRecord } from '../draft.ts'
import { moment, pick, text } from '../pick.ts'
import { account, numbered, repository } from './things.ts'

/** `sub_issues`: which issue is a part of which. Both ends send it; taking it back withdraws it. */
export function mapSubIssue(payload: unknown): Told {
  const [part, whole] = [end(payload, 'sub_issue'), end(payload, 'parent_issue')]
  return mapLink(payload, { subject: part, predicate: 'part_of', words: 'is a part of', object: whole })
}

/** `issue_dependencies`: which issue keeps which from going on. */
export function mapDependency(payload: unknown): Told {
  const [blocking, blocked] = [end(payload, 'blocking_issue'), end(payload, 'blocked_issue')]
  return mapLink(payload, { subject: blocking, predicate: 'blocks', words: 'blocks', object: blocked })
}

interface Link {
  subject: Thing | undefined
  predicate: string
  words: string
  object: Thing | undefined
}

function mapLink(payload: unknown, { subject, predicate, words, object }: Link): Told {
  if (!subject || !object) return undefined
  return toRecord({
    externalId: `issue_link/${subject.name}/${predicate}/${object.name}`,
    type: 'issue_link',
    gone: text(payload, 'action')?.endsWith('_removed') && {},
    text: `${called(subject)} ${words} ${called(object)}.`,
    url: text(subject.identifiers?.url),
    occurredAt: moment(payload, 'sub_issue', 'updated_at') ?? moment(payload, 'blocked_issue', 'updated_at'),
    author: account(pick(payload, 'sender')),
    entities: [subject, object, repository(pick(payload, 'repository'))],
    relations: [{ subject, predicate, object }],
  })
}

function called({ name, aliases }: Thing): string {
  return aliases?.[0] ? `${name} “${aliases[0]}”` : name
}

const API_PATH = /\/repos\/([^/]+\/[^/]+)$/

/** One of the two issues; each names its own repository, which need not be the delivery's. */
function end(payload: unknown, field: string): Thing | undefined {
  const issue = pick(payload, field)
  const own = API_PATH.exec(text(issue, 'repository_url') ?? '')?.[1]
  const repo = own ?? text(payload, `${field}_repo`, 'full_name') ?? text(payload, 'repository', 'full_name')
  return repo ? numbered('issue', issue, repo) : undefined
}

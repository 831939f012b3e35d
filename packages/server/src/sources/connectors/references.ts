import { type Entity, entity } from './to-record.ts'

/** Matches the keywords before a reference that close an issue on code hosts. */
const CLOSING = /\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?|implement(?:s|ed)?)\b:?\s+/gi
const NUMBER = /^(?:([\w.-]+\/[\w.-]+))?#(\d{1,9})\b/
const URL_FORM = /^(https?:\/\/[^\s<>)\]]+\/(?:issues|-\/issues|issue|browse)\/([\w-]+))/
const KEY = /^([A-Z][A-Z0-9]{1,9}-\d{1,9})\b/
const MORE = /^\s*(?:,|and|&)\s*/
/** Maximum number of references that are read. A longer list is a changelog. */
const REFERENCES_MAX = 32

/** Repository against which references to issues are resolved. */
export interface ReferenceContext {
  /** `owner/repository`. */
  repository: string
  /** The repository's URL. */
  url: string | undefined
  /** Path between the repository's URL and the number of an issue. */
  issuePath: '/issues/' | '/-/issues/'
}

/** Returns the issues that a text closes: `fixes #12`, `closes NOR-139`, `resolves https://…/issues/12 and #13`. */
export function closedIssues(text: string | undefined, place: ReferenceContext): Entity[] {
  const found: Entity[] = []
  for (const match of (text ?? '').matchAll(CLOSING)) {
    let rest = (text ?? '').slice(match.index + match[0].length)
    while (found.length < REFERENCES_MAX) {
      const one = referenceAt(rest, place)
      if (!one) break
      found.push(one.issue)
      rest = rest.slice(one.length)
      const next = MORE.exec(rest)?.[0]
      if (!next) break
      rest = rest.slice(next.length)
    }
  }
  return found
}

function referenceAt(text: string, place: ReferenceContext): { issue: Entity; length: number } | undefined {
  const number = NUMBER.exec(text)
  if (number) return found(number, numberedIssue(place, number[1], number[2]!))
  const url = URL_FORM.exec(text)
  if (url) return found(url, entity('issue', url[2], { url: url[1] }))
  const key = KEY.exec(text)
  return key ? found(key, keyedIssue(key[1]!)) : undefined
}

function found(match: RegExpExecArray, issue: Entity | undefined) {
  return issue && { issue, length: match[0].length }
}

function numberedIssue({ repository, url, issuePath }: ReferenceContext, other: string | undefined, number: string) {
  const name = other ?? repository
  const base = url?.endsWith(`/${repository}`) ? url.slice(0, -repository.length) : undefined
  const address = base && `${base}${name}${issuePath}${number}`
  return entity('issue', `${name}#${number}`, { url: address, key: `${name}#${number}` })
}

/** Returns an issue that is named only by its tracker's key. */
function keyedIssue(key: string): Entity | undefined {
  return entity('issue', key.toUpperCase(), { key: key.toUpperCase() })
}

const BRANCH_KEY = /(?:^|[/_-])([a-z][a-z0-9]{1,9}-\d{1,6})(?=$|[/_-])/i
/** Prefixes in branch names that look like a project key but are not. */
const NO_PROJECT = /^(?:release|version|patch|hotfix|feature|bugfix|fix|issue|pr|v|utf|sha|node|step|part|phase|test)-/i

/** Returns the issue in a branch name, as trackers generate them: `yuki/nor-139-short-title`. */
export function branchIssue(branch: string | undefined): Entity | undefined {
  const key = BRANCH_KEY.exec(branch ?? '')?.[1]
  return key && !NO_PROJECT.test(key) ? keyedIssue(key) : undefined
}

const HANDLE = /(?<![\w@/.`])@([a-z\d](?:[a-z\d]|-(?=[a-z\d])){0,38})(?![\w@./])/gi
const CODE = /(`{3,})[\s\S]*?(?:\1|$)|`[^`\n]*`/g
const HANDLES_MAX = 50

/** Returns the people that a text mentions with `@`, by their logins. Code is ignored. */
export function mentionedPeople(text: string | undefined): (Entity | undefined)[] {
  const logins = [...(text ?? '').replace(CODE, ' ').matchAll(HANDLE)].map((match) => match[1]!)
  return [...new Set(logins)].slice(0, HANDLES_MAX).map((login) => entity('person', login, { login }))
}

/** Returns a text without HTML comments, which templates contain. */
export function withoutHtmlComments(text: string | undefined): string | undefined {
  return text?.replace(/<!--[\s\S]*?(?:-->|$)/g, '').replace(/\r\n?/g, '\n')
}

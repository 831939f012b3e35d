import { profileFor } from '../../packages/server/src/sources/connectors/mcp/profile-for.ts'
import { jsonText, openSdkToolServer, type SdkTool, type SdkToolServer } from './sdk-tool-server.ts'

/** An issue or a pull request. */
export interface HostedItem {
  number: number
  title: string
  body: string
  updated_at: string
  comments: { id: number; body: string }[]
}

/** Content of a repository. */
export interface HostedRepository {
  issues: HostedItem[]
  pulls: HostedItem[]
  commits: { sha: string; message: string; date: string }[]
  releases: { id: number; name: string; body: string; at: string }[]
}

/** A server with the documented read tools of GitHub's MCP server, their arguments and the shapes of their results. */
export interface GithubToolServer extends SdkToolServer {
  readonly repositories: Map<string, HostedRepository>
  /** Returns the number of calls of a tool. */
  count(tool: string): number
}

const TEXT = { type: 'string' }
const NUMBER = { type: 'number' }
const PAGES = { page: NUMBER, perPage: NUMBER }
const PLACE = { owner: TEXT, repo: TEXT }
const PER_PAGE_DEFAULT = 30
const CREATED = '2026-01-01T00:00:00Z'
const person = (login: string) => ({ login, id: login.length, profile_url: `https://github.com/${login}` })

/** Returns a lookup in which the server is at the address of a profile. */
export function profileAt(server: { url: string }, address: string): typeof profileFor {
  return (url) => (url === server.url ? profileFor(address) : profileFor(url))
}

/** Returns an item without comments. */
export function hostedItem(number: number, updatedAt: string, more: Partial<HostedItem> = {}): HostedItem {
  return { number, title: `Item ${number}`, body: `Text of ${number}.`, updated_at: updatedAt, comments: [], ...more }
}

/** Starts the server without repositories. */
export async function openGithubToolServer(): Promise<GithubToolServer> {
  const server = await openSdkToolServer()
  const repositories = new Map<string, HostedRepository>()
  const placeOf = ({ owner, repo }: Record<string, unknown>) => {
    const found = repositories.get(`${owner}/${repo}`)
    if (!found) throw new Error(`no repository ${owner}/${repo}`)
    return found
  }
  const page = <T>(all: T[], { page: at = 1, perPage = PER_PAGE_DEFAULT }: Record<string, unknown>): T[] =>
    all.slice((Number(at) - 1) * Number(perPage), Number(at) * Number(perPage))
  const shown = (item: HostedItem) => ({
    number: item.number,
    title: item.title,
    body: item.body,
    state: 'open',
    user: person('mei'),
    labels: ['ferry'],
    assignees: ['tom'],
    created_at: CREATED,
    updated_at: item.updated_at,
  })
  const newestFirst = (items: HostedItem[]) => items.toSorted((a, b) => (a.updated_at < b.updated_at ? 1 : -1))
  const comments = (item: HostedItem | undefined, given: Record<string, unknown>) =>
    jsonText(
      page(item?.comments ?? [], given).map(({ id, body }) => ({
        id,
        body,
        html_url: `https://github.com/comments/${id}`,
        user: person('ana'),
        created_at: CREATED,
        updated_at: CREATED,
      })),
    )
  const tools: Record<string, SdkTool> = {
    list_issues: {
      arguments: {
        ...PLACE,
        after: TEXT,
        direction: { enum: ['ASC', 'DESC'] },
        labels: { type: 'array' },
        orderBy: { enum: ['CREATED_AT', 'UPDATED_AT', 'COMMENTS'] },
        perPage: NUMBER,
        since: TEXT,
        state: { enum: ['OPEN', 'CLOSED'] },
      },
      required: ['owner', 'repo'],
      call: (given) => {
        const { since = '', after = '0', perPage = PER_PAGE_DEFAULT } = given
        const found = newestFirst(placeOf(given).issues)
          .reverse()
          .filter((issue) => issue.updated_at >= String(since))
        const from = Number(String(after).replace('cursor-', ''))
        const to = from + Number(perPage)
        const issues = found.slice(from, to).map((issue) => ({ ...shown(issue), comments: issue.comments.length }))
        const pageInfo = { hasNextPage: to < found.length, endCursor: `cursor-${to}` }
        return jsonText({ issues, pageInfo, totalCount: found.length })
      },
    },
    issue_read: {
      arguments: { ...PLACE, ...PAGES, method: { enum: ['get', 'get_comments', 'get_labels'] }, issue_number: NUMBER },
      required: ['method', 'owner', 'repo', 'issue_number'],
      call: (given) =>
        comments(
          placeOf(given).issues.find(({ number }) => number === given.issue_number),
          given,
        ),
    },
    list_pull_requests: {
      arguments: {
        ...PLACE,
        ...PAGES,
        state: { enum: ['open', 'closed', 'all'] },
        sort: { enum: ['created', 'updated'] },
        direction: { enum: ['asc', 'desc'] },
        head: TEXT,
        base: TEXT,
      },
      required: ['owner', 'repo'],
      call: (given) =>
        jsonText(
          page(newestFirst(placeOf(given).pulls), given).map((pull) => ({
            ...shown(pull),
            html_url: `https://github.com/${given.owner}/${given.repo}/pull/${pull.number}`,
            draft: false,
            merged: false,
            head: { ref: 'work' },
            base: { ref: 'main' },
          })),
        ),
    },
    pull_request_read: {
      arguments: { ...PLACE, ...PAGES, method: { enum: ['get', 'get_diff', 'get_comments'] }, pullNumber: NUMBER },
      required: ['method', 'owner', 'repo', 'pullNumber'],
      call: (given) =>
        comments(
          placeOf(given).pulls.find(({ number }) => number === given.pullNumber),
          given,
        ),
    },
    list_commits: {
      arguments: { ...PLACE, ...PAGES, sha: TEXT, author: TEXT, since: TEXT, until: TEXT, path: TEXT },
      required: ['owner', 'repo'],
      call: (given) =>
        jsonText(
          page(
            placeOf(given).commits.filter(({ date }) => date >= String(given.since ?? '')),
            given,
          ).map(({ sha, message, date }) => ({
            sha,
            html_url: `https://github.com/${given.owner}/${given.repo}/commit/${sha}`,
            commit: { message, author: { name: 'Mei Lin', email: 'mei@acme.example', date } },
            author: person('mei'),
          })),
        ),
    },
    list_releases: {
      arguments: { ...PLACE, ...PAGES },
      required: ['owner', 'repo'],
      call: (given) =>
        jsonText(
          page(placeOf(given).releases, given).map(({ id, name, body, at }) => ({
            id,
            tag_name: name,
            name,
            body,
            html_url: `https://github.com/${given.owner}/${given.repo}/releases/${id}`,
            published_at: at,
            prerelease: false,
            draft: false,
            author: person('mei'),
          })),
        ),
    },
    create_issue: { arguments: { ...PLACE, title: TEXT }, isReadOnly: false, call: () => jsonText({}) },
  }
  const count = (tool: string) => server.calls.filter((one) => one.tool === tool).length
  return Object.assign(server, { tools, repositories, count })
}

import { describe, expect, it } from 'vitest'
import { mapped, mappedFromGithub, REPOSITORY } from '../../../../../tests/harness/provider-event.ts'

const AT = '2026-05-04T10:00:00Z'

describe('events from provider documentation: links and names', () => {
  it('Jira: an issue link is a relation between issue ids, until it is deleted', async () => {
    const issueLink = {
      id: 5,
      sourceIssueId: 10001,
      destinationIssueId: 10002,
      issueLinkType: { id: 3, name: 'Cloners', outwardName: 'is cloned by', inwardName: 'clones' },
    }
    const at = async (webhookEvent: string, link: object = issueLink) =>
      (await mapped('jira', { webhookEvent, timestamp: Date.parse(AT), issueLink: link })).records
    const [record] = await at('issuelink_created')
    expect(record).toMatchObject({
      external_id: 'issue_link/5',
      relations: [
        {
          subject: { identifiers: { id: '10001' } },
          predicate: 'is_cloned_by',
          object: { identifiers: { id: '10002' } },
        },
      ],
    })
    expect(await at('issuelink_deleted')).toMatchObject([{ external_id: 'issue_link/5', deleted: true }])
    const sub = { ...issueLink, issueLinkType: { id: 9, name: 'jira_subtask_link', isSubTaskLinkType: true } }
    expect((await at('issuelink_created', sub))[0]?.relations).toMatchObject([
      { subject: { name: '10002' }, predicate: 'part_of', object: { name: '10001' } },
    ])
    expect(await at('issuelink_created', { id: 6 })).toEqual([])
  })

  it('GitHub and GitLab: a renamed or moved repository keeps its former name as an alias', async () => {
    const renamed = { repository: { name: { from: 'core' } } }
    const given = { owner: { from: { user: { login: 'praman' } } } }
    for (const [action, changes, former] of [
      ['renamed', renamed, 'acme/core'],
      ['transferred', given, 'praman/api'],
    ] as const) {
      const owned = { ...REPOSITORY, owner: { login: 'acme', type: 'Organization' } }
      const [record] = (await mappedFromGithub('repository', { action, changes, repository: owned })).records
      expect(record).toMatchObject({ external_id: 'repository/1', title: 'acme/api' })
      expect(record?.entities?.[0]).toMatchObject({ name: 'acme/api', identifiers: { id: '1' } })
      expect(record?.entities?.[0]?.aliases).toContain(former)
    }
    const moved = {
      event_name: 'project_transfer',
      project_id: 74,
      path_with_namespace: 'scores/underscore',
      old_path_with_namespace: 'jsmith/overscore',
    }
    const [project] = (await mapped('gitlab', moved)).records
    expect(project?.entities?.[0]).toMatchObject({
      name: 'scores/underscore',
      aliases: ['jsmith/overscore'],
      identifiers: { id: '74' },
    })
  })
})

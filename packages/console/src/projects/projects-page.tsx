import type { Connection, Project } from '@cairnstore/client'
import { Button } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { sentenceOf } from '../app/sentence-of.ts'
import { seeAs, useCairn, useSession } from '../app/session.ts'
import { useAccess, useProjects, useSources } from '../app/shared-queries.ts'
import { fromApi, t } from '../language/language.ts'
import { day } from '../parts/format.ts'
import { Actions, FullWidth, Lines, SecondaryText } from '../parts/lines.tsx'
import { NameForm } from '../parts/name-form.tsx'
import { OneTimeSecret } from '../parts/one-time-secret.tsx'
import { Page, Sheet } from '../parts/page.tsx'
import { plainLine } from '../parts/plain.ts'
import { QueryView } from '../parts/states.tsx'
import { useGrantees } from '../people/use-people.ts'
import { NewShare } from './new-share.tsx'
import { ProjectRow } from './project-row.tsx'
import classes from './projects-page.module.css'

const ROLES: Readonly<Record<Connection['role'], string>> = { viewer: t('Reads'), editor: t('Reads and writes') }

/** Shows the projects of a sandbox, and with whom the sandbox and its projects are shared. */
export function ProjectsPage(): ReactNode {
  const projects = useProjects()
  const access = useAccess()
  return (
    <Page
      title={t('Projects & sharing')}
      about={t('A project is a set of sources that can be queried or shared separately.')}
    >
      <QueryView of={projects}>
        {({ projects: all }) => (
          <>
            <Sheet title={t('Projects')}>
              <Projects projects={all} />
              {access !== 'viewer' && <NewProject />}
            </Sheet>
            <Sheet title={t('Shared with')}>
              {access === undefined || access === 'owner' ? (
                <Shares projects={all} />
              ) : (
                <p>{t('Only the owner of a sandbox can share it.')}</p>
              )}
            </Sheet>
          </>
        )}
      </QueryView>
    </Page>
  )
}

function Projects({ projects }: { projects: readonly Project[] }): ReactNode {
  const sources = useSources()
  if (projects.length === 0) return <p className={classes.none}>{t('There are no projects yet.')}</p>
  return (
    <Lines>
      {projects.map((project) => (
        <ProjectRow key={project.project_id} project={project} sources={sources.data?.sources ?? []} />
      ))}
    </Lines>
  )
}

function NewProject(): ReactNode {
  const cairn = useCairn()
  return (
    <NameForm
      label={t('Name of a new project')}
      button={t('Make the project')}
      make={(name) => cairn.createProject({ name })}
    />
  )
}

function Shares({ projects }: { projects: readonly Project[] }): ReactNode {
  const cairn = useCairn()
  const { sandboxId } = useSession()
  const shares = useQuery({ queryKey: [sandboxId, 'connections'], queryFn: () => cairn.listConnections() })
  return (
    <>
      <QueryView of={shares}>
        {(all) =>
          all.length === 0 ? (
            <p className={classes.none}>{t('This sandbox is not shared with anybody.')}</p>
          ) : (
            <Lines>
              {all.map((share) => (
                <Share key={share.connection_id} share={share} projects={projects} />
              ))}
            </Lines>
          )
        }
      </QueryView>
      <NewShare projects={projects} />
    </>
  )
}

/** Returns the account, member, group or address that a connection is shared with. */
function granteeOf({ user_id: userId, grantee }: Connection): string {
  return userId ?? grantee?.email ?? grantee?.group_id ?? grantee?.member_id ?? ''
}

function Share({ share, projects }: { share: Connection; projects: readonly Project[] }): ReactNode {
  const cairn = useCairn()
  const known = useQueryClient()
  const { connection_id } = share
  const revoking = useMutation({
    mutationFn: () => cairn.revokeConnection({ connection_id }),
    onSuccess: () => known.invalidateQueries(),
  })
  const navigate = useNavigate()
  const names = useGrantees()
  const userId = share.user_id
  const look = (as: string) => {
    seeAs(as, names(granteeOf(share)))
    void navigate({ to: '/' })
  }
  const keying = useMutation({ mutationFn: () => cairn.createConnectionKey({ connection_id }) })
  const project = projects.find(({ project_id: id }) => id === share.project_id)
  return (
    <li>
      <span>
        <strong>{plainLine(share.label || names(granteeOf(share)))}</strong>
        <SecondaryText>
          {ROLES[share.role]} {share.project_id ? plainLine(project?.name ?? share.project_id) : t('the whole sandbox')}
          {' · '}
          {share.status === 'active' ? t('since {day}', { day: day(share.created_at) }) : fromApi(share.status)}
        </SecondaryText>
      </span>
      <Actions>
        {share.status === 'active' && userId !== null && (
          <Button size="compact-sm" variant="default" onClick={() => look(userId)}>
            {t('See what they see')}
          </Button>
        )}
        <Button size="compact-sm" variant="default" loading={keying.isPending} onClick={() => keying.mutate()}>
          {t('Make a key')}
        </Button>
        <Button size="compact-sm" variant="default" loading={revoking.isPending} onClick={() => revoking.mutate()}>
          {t('Revoke')}
        </Button>
      </Actions>
      {(revoking.error || keying.error) && <p role="alert">{sentenceOf(revoking.error ?? keying.error)}</p>}
      {keying.data && (
        <FullWidth>
          <OneTimeSecret text={keying.data.plaintext_key ?? ''} label={t('the key')} />
        </FullWidth>
      )}
    </li>
  )
}

import type { Connection, Project } from '@cairnstore/client'
import { Alert, Button, NativeSelect, TextInput } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, type ReactNode, useState } from 'react'
import { firstPage } from '../app/first-page.ts'
import { sentenceOf } from '../app/sentence-of.ts'
import { seeAs, useCairn, useSession } from '../app/session.ts'
import { Copied } from '../parts/copied.tsx'
import { Fields, Page, Sheet } from '../parts/page.tsx'
import { plainLine } from '../parts/plain.ts'
import { Shown } from '../parts/states.tsx'
import { day } from '../parts/when.ts'
import { ProjectRow } from './project-row.tsx'
import classes from './projects-page.module.css'

const CHARS = 80
const LISTED = 100

/** The projects of a sandbox, and whom it, or one of them, is shared with. */
export function ProjectsPage(): ReactNode {
  const cairn = useCairn()
  const { sandboxId } = useSession()
  const projects = useQuery({
    queryKey: [sandboxId, 'projects'],
    queryFn: () => firstPage(cairn.listProjects({ status: 'active' })),
    enabled: sandboxId !== undefined,
  })
  return (
    <Page title="Projects & sharing">
      <Shown of={projects}>
        {({ projects: all }) => (
          <>
            <Sheet title="Projects">
              <Projects projects={all} />
              <NewProject />
            </Sheet>
            <Sheet title="Shared with">
              <Shares projects={all} />
            </Sheet>
          </>
        )}
      </Shown>
    </Page>
  )
}

function Projects({ projects }: { projects: readonly Project[] }): ReactNode {
  const cairn = useCairn()
  const { sandboxId } = useSession()
  const sources = useQuery({
    queryKey: [sandboxId, 'sources'],
    queryFn: () => firstPage(cairn.listSources({ limit: LISTED })),
  })
  if (projects.length === 0) return <p>There is none. A project is some of the sources, to ask or to share apart.</p>
  return (
    <ul className={classes.list}>
      {projects.map((project) => (
        <ProjectRow key={project.project_id} project={project} sources={sources.data?.sources ?? []} />
      ))}
    </ul>
  )
}

function NewProject(): ReactNode {
  const cairn = useCairn()
  const known = useQueryClient()
  const [name, setName] = useState('')
  const making = useMutation({
    mutationFn: () => cairn.createProject({ name: name.trim() }),
    onSuccess: () => {
      setName('')
      return known.invalidateQueries()
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    making.mutate()
  }
  return (
    <form onSubmit={submit}>
      <Fields>
        <TextInput
          label="Name of a new project"
          value={name}
          error={making.error ? sentenceOf(making.error) : undefined}
          onChange={({ currentTarget }) => setName(currentTarget.value)}
        />
        <Button type="submit" variant="default" disabled={!name.trim()} loading={making.isPending}>
          Make it
        </Button>
      </Fields>
    </form>
  )
}

function Shares({ projects }: { projects: readonly Project[] }): ReactNode {
  const cairn = useCairn()
  const { sandboxId } = useSession()
  const shares = useQuery({ queryKey: [sandboxId, 'connections'], queryFn: () => cairn.listConnections() })
  return (
    <>
      <Shown of={shares}>
        {(all) =>
          all.length === 0 ? (
            <p>Nobody but you.</p>
          ) : (
            <ul className={classes.list}>
              {all.map((share) => (
                <Share key={share.connection_id} share={share} projects={projects} />
              ))}
            </ul>
          )
        }
      </Shown>
      <NewShare projects={projects} />
    </>
  )
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
  const look = (userId: string) => {
    seeAs(userId)
    void navigate({ to: '/' })
  }
  const keying = useMutation({ mutationFn: () => cairn.createConnectionKey({ connection_id }) })
  const project = projects.find(({ project_id: id }) => id === share.project_id)
  return (
    <li>
      <span>
        <strong>{plainLine(share.label || share.user_id, CHARS)}</strong>
        <span className={classes.soft}>
          {share.role} of {share.project_id ? plainLine(project?.name ?? share.project_id, CHARS) : 'the whole sandbox'}
          {' · '}
          {share.status === 'active' ? `since ${day(share.created_at)}` : share.status}
        </span>
      </span>
      <span className={classes.verbs}>
        {share.status === 'active' && (
          <Button size="compact-sm" variant="default" onClick={() => look(share.user_id)}>
            See as this account
          </Button>
        )}
        <Button size="compact-sm" variant="default" loading={keying.isPending} onClick={() => keying.mutate()}>
          Make a key for it
        </Button>
        <Button size="compact-sm" variant="default" loading={revoking.isPending} onClick={() => revoking.mutate()}>
          Revoke
        </Button>
      </span>
      {(revoking.error || keying.error) && <p role="alert">{sentenceOf(revoking.error ?? keying.error)}</p>}
      {keying.data && (
        <Alert color="teal" title="This key is shown only here" className={classes.made}>
          <Copied text={keying.data.plaintext_key ?? ''} label="the key" />
        </Alert>
      )}
    </li>
  )
}

function NewShare({ projects }: { projects: readonly Project[] }): ReactNode {
  const cairn = useCairn()
  const known = useQueryClient()
  const [account, setAccount] = useState('')
  const [role, setRole] = useState<Connection['role']>('viewer')
  const [project, setProject] = useState('')
  const sharing = useMutation({
    mutationFn: () =>
      cairn.createConnection({ user_id: account.trim(), role, ...(project && { project_id: project }) }),
    onSuccess: () => {
      setAccount('')
      return known.invalidateQueries()
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    sharing.mutate()
  }
  return (
    <form onSubmit={submit}>
      <Fields>
        <TextInput
          label="Account"
          placeholder="acct_…"
          value={account}
          error={sharing.error ? sentenceOf(sharing.error) : undefined}
          onChange={({ currentTarget }) => setAccount(currentTarget.value)}
        />
        <NativeSelect
          label="May"
          value={role}
          data={[
            { value: 'viewer', label: 'read' },
            { value: 'editor', label: 'read and write' },
          ]}
          onChange={({ currentTarget }) => setRole(currentTarget.value as Connection['role'])}
        />
        <NativeSelect
          label="What"
          value={project}
          data={[
            { value: '', label: 'The whole sandbox' },
            ...projects.map(({ project_id: value, name }) => ({ value, label: plainLine(name, CHARS) })),
          ]}
          onChange={({ currentTarget }) => setProject(currentTarget.value)}
        />
        <Button type="submit" disabled={!account.trim()} loading={sharing.isPending}>
          Share
        </Button>
      </Fields>
    </form>
  )
}

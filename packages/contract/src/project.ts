import { CHANGE, CREATE, operation, READ } from './operation.ts'
import { sandboxParams } from './sandbox.ts'
import {
  Anything,
  Choice,
  Done,
  FreeForm,
  GivenId,
  listing,
  Maybe,
  Moment,
  Name,
  Page,
  PathId,
  ReplyId,
  type Static,
  Type as T,
} from './schema.ts'
import { sourceParams } from './source.ts'

export const PROJECT_STATES = ['active', 'archived'] as const
export type ProjectState = (typeof PROJECT_STATES)[number]

const DESCRIPTION_CHARS_MAX = 2048
const PROJECT_SOURCES_MAX = 10_000

const Description = T.String({ maxLength: DESCRIPTION_CHARS_MAX, description: 'The subject of the project.' })

/** A project: a named part of a sandbox, with linked sources. */
export const Project = T.Object({
  project_id: ReplyId('project', 'The project’s id.'),
  user_id: T.String({ description: 'The platform account that owns it.' }),
  sandbox_id: ReplyId('sandbox', 'The sandbox of the project.'),
  name: T.String(),
  status: Choice(PROJECT_STATES),
  description: Maybe(T.String()),
  data_source_ids: T.Optional(T.Array(T.String(), { description: 'The sources linked to it.' })),
  metadata: T.Optional(Anything('Your metadata, unchanged.')),
  created_at: Maybe(Moment('When it was created.')),
})
export type Project = Static<typeof Project>

/** Request body to create a project. */
export const CreateProject = T.Object({
  name: Name('A label; it does not have to be unique.'),
  description: Maybe(Description),
  data_source_ids: T.Optional(
    T.Array(GivenId('A live source of the sandbox.'), {
      maxItems: PROJECT_SOURCES_MAX,
      description: 'Sources to link; duplicates are ignored.',
    }),
  ),
  metadata: T.Optional(FreeForm('Your metadata, stored unchanged.')),
})
export type CreateProject = Static<typeof CreateProject>

/** Request body: an omitted field keeps its value, a null description clears it, and metadata is replaced. */
export const UpdateProject = T.Object({
  name: Maybe(Name('The new name; null keeps the old one.')),
  description: Maybe(Description),
  metadata: Maybe(FreeForm('Replaces the old metadata; null keeps it.')),
})
export type UpdateProject = Static<typeof UpdateProject>

export const ProjectPage = Page('projects', Project)
export type ProjectPage = Static<typeof ProjectPage>

const projectParams = { ...sandboxParams, project_id: PathId('The project.', 'project') }

const tag = 'Projects'
const all = '/api/v1/storage/sandboxes/:sandbox_id/projects'
const one = '/api/v1/storage/sandboxes/:sandbox_id/projects/:project_id'
const link = '/api/v1/storage/sandboxes/:sandbox_id/projects/:project_id/sources/:source_id'
const read = { ...READ, tag, access: 'viewer' } as const
const change = { ...CHANGE, tag, access: 'editor', reply: { json: Done } } as const

export const projectOperations = {
  createProject: operation({
    ...CREATE,
    path: all,
    tag,
    summary: 'Create a project',
    access: 'editor',
    audit: { event: 'project.created' },
    versioned: true,
    params: T.Object(sandboxParams),
    body: {
      json: CreateProject,
      example: { name: 'Launch', description: 'Everything about the launch', data_source_ids: [] },
    },
    reply: { json: Project, location: one },
    faults: ['unknown_source', 'grant_limits', 'sandbox_not_active', 'quota_exceeded'],
  }),
  listProjects: operation({
    ...read,
    path: all,
    summary: 'List the projects of a sandbox, newest first',
    params: T.Object(sandboxParams),
    ...listing(ProjectPage, {
      status: T.Optional(Choice(PROJECT_STATES, { description: 'Only projects in this state.' })),
    }),
  }),
  getProject: operation({
    ...read,
    path: one,
    summary: 'Show a project',
    versioned: true,
    params: T.Object(projectParams),
    reply: { json: Project },
  }),
  updateProject: operation({
    ...change,
    method: 'PATCH',
    path: one,
    summary: 'Change a project',
    audit: { event: 'project.updated' },
    versioned: true,
    params: T.Object(projectParams),
    body: { json: UpdateProject, example: { description: null } },
    reply: { json: Project },
    faults: ['sandbox_not_active', 'project_archived'],
  }),
  archiveProject: operation({
    ...change,
    path: `${one}/archive`,
    summary: 'Archive a project',
    audit: { event: 'project.archived' },
    params: T.Object(projectParams),
    faults: ['grant_limits', 'sandbox_not_active'],
  }),
  deleteProject: operation({
    ...change,
    method: 'DELETE',
    path: one,
    summary: 'Delete a project; its sources stay',
    audit: { event: 'project.deleted' },
    versioned: true,
    params: T.Object(projectParams),
    faults: ['grant_limits', 'sandbox_not_active'],
  }),
  linkSource: operation({
    ...change,
    path: link,
    summary: 'Link a source to a project',
    audit: { event: 'project.source_linked' },
    params: T.Object({ ...projectParams, ...sourceParams }),
    faults: ['sandbox_not_active', 'project_archived', 'source_not_active'],
  }),
  unlinkSource: operation({
    ...change,
    method: 'DELETE',
    path: link,
    summary: 'Unlink a source from a project',
    audit: { event: 'project.source_unlinked' },
    params: T.Object({ ...projectParams, ...sourceParams }),
    faults: ['sandbox_not_active', 'project_archived'],
  }),
}

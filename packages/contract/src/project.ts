import { operation } from './operation.ts'
import { sandboxParams } from './sandbox.ts'
import {
  Anything,
  Choice,
  Done,
  FreeForm,
  GivenId,
  Moment,
  Name,
  Nullable,
  PathId,
  paged,
  paging,
  ReplyId,
  type Static,
  Type as T,
} from './schema.ts'
import { sourceParams } from './source.ts'

/** The states a project can be in. */
export const PROJECT_STATES = ['active', 'archived'] as const
export type ProjectState = (typeof PROJECT_STATES)[number]

const DESCRIPTION_CHARS_MAX = 2048
const PROJECT_SOURCES_MAX = 10_000

const Description = T.String({ maxLength: DESCRIPTION_CHARS_MAX, description: 'What it is about.' })

/** A project: a named grouping inside a sandbox, with sources. */
export const Project = T.Object({
  project_id: ReplyId('project', 'The project’s id.'),
  user_id: T.String({ description: 'The platform account that holds it.' }),
  sandbox_id: ReplyId('sandbox', 'The sandbox it is in.'),
  name: T.String(),
  status: Choice(PROJECT_STATES),
  description: T.Optional(Nullable(T.String())),
  data_source_ids: T.Optional(T.Array(T.String(), { description: 'The sources linked to it.' })),
  metadata: T.Optional(Anything('Yours, as given.')),
  created_at: T.Optional(Nullable(Moment('When it was made.'))),
})
export type Project = Static<typeof Project>

/** What a new project is made from. */
export const CreateProject = T.Object({
  name: Name('A label, unique in nothing.'),
  description: T.Optional(Nullable(Description)),
  data_source_ids: T.Optional(
    T.Array(GivenId('A live source of the sandbox.'), {
      maxItems: PROJECT_SOURCES_MAX,
      description: 'Sources to link; one named twice is linked once.',
    }),
  ),
  metadata: T.Optional(FreeForm('Yours, stored as given.')),
})
export type CreateProject = Static<typeof CreateProject>

/** A change of a project; an omitted field keeps its value, a null description clears it, metadata is replaced. */
export const UpdateProject = T.Object({
  name: T.Optional(Nullable(Name('The new name; null keeps the old one.'))),
  description: T.Optional(Nullable(Description)),
  metadata: T.Optional(Nullable(FreeForm('Replaces the old metadata; null keeps it.'))),
})
export type UpdateProject = Static<typeof UpdateProject>

/** One page of projects. */
export const ProjectPage = T.Object({ projects: T.Array(Project), ...paged })
export type ProjectPage = Static<typeof ProjectPage>

const projectParams = { ...sandboxParams, project_id: PathId('The project.', 'project') }

const tag = 'Projects'
const all = '/api/v1/storage/sandboxes/:sandbox_id/projects'
const one = '/api/v1/storage/sandboxes/:sandbox_id/projects/:project_id'
const link = '/api/v1/storage/sandboxes/:sandbox_id/projects/:project_id/sources/:source_id'

/** The operations on projects. */
export const projectOperations = {
  createProject: operation({
    method: 'POST',
    path: all,
    tag,
    summary: 'Create a project',
    access: 'editor',
    audit: { event: 'project.created' },
    retry: 'keyed',
    versioned: true,
    params: T.Object(sandboxParams),
    body: {
      json: CreateProject,
      example: { name: 'Launch', description: 'Everything about the launch', data_source_ids: [] },
    },
    reply: { json: Project, location: one },
    status: 201,
    faults: ['unknown_source', 'grant_limits', 'sandbox_not_active', 'quota_exceeded'],
  }),
  listProjects: operation({
    method: 'GET',
    path: all,
    tag,
    summary: 'List the projects of a sandbox, newest first',
    access: 'viewer',
    audit: { none: 'reads' },
    retry: 'safe',
    params: T.Object(sandboxParams),
    query: T.Object({
      status: T.Optional(Choice(PROJECT_STATES, { description: 'Only projects in this state.' })),
      ...paging,
    }),
    reply: { json: ProjectPage },
    status: 200,
    faults: ['invalid_cursor'],
  }),
  getProject: operation({
    method: 'GET',
    path: one,
    tag,
    summary: 'Show a project',
    access: 'viewer',
    audit: { none: 'reads' },
    retry: 'safe',
    versioned: true,
    params: T.Object(projectParams),
    reply: { json: Project },
    status: 200,
    faults: [],
  }),
  updateProject: operation({
    method: 'PATCH',
    path: one,
    tag,
    summary: 'Change a project',
    access: 'editor',
    audit: { event: 'project.updated' },
    retry: 'safe',
    versioned: true,
    params: T.Object(projectParams),
    body: { json: UpdateProject, example: { description: null } },
    reply: { json: Project },
    status: 200,
    faults: ['sandbox_not_active', 'project_archived'],
  }),
  archiveProject: operation({
    method: 'POST',
    path: `${one}/archive`,
    tag,
    summary: 'Archive a project',
    access: 'editor',
    audit: { event: 'project.archived' },
    retry: 'safe',
    params: T.Object(projectParams),
    reply: { json: Done },
    status: 200,
    faults: ['grant_limits', 'sandbox_not_active'],
  }),
  deleteProject: operation({
    method: 'DELETE',
    path: one,
    tag,
    summary: 'Delete a project; its sources stay',
    access: 'editor',
    audit: { event: 'project.deleted' },
    retry: 'safe',
    versioned: true,
    params: T.Object(projectParams),
    reply: { json: Done },
    status: 200,
    faults: ['grant_limits', 'sandbox_not_active'],
  }),
  linkSource: operation({
    method: 'POST',
    path: link,
    tag,
    summary: 'Link a source to a project',
    access: 'editor',
    audit: { event: 'project.source_linked' },
    retry: 'safe',
    params: T.Object({ ...projectParams, ...sourceParams }),
    reply: { json: Done },
    status: 200,
    faults: ['sandbox_not_active', 'project_archived', 'source_not_active'],
  }),
  unlinkSource: operation({
    method: 'DELETE',
    path: link,
    tag,
    summary: 'Take a source out of a project',
    access: 'editor',
    audit: { event: 'project.source_unlinked' },
    retry: 'safe',
    params: T.Object({ ...projectParams, ...sourceParams }),
    reply: { json: Done },
    status: 200,
    faults: ['sandbox_not_active', 'project_archived'],
  }),
}

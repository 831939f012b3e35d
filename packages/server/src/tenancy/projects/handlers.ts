import type { projectOperations } from '@cairnstore/contract'
import type { Handlers } from '../context.ts'
import { archiveProject } from './archive-project.ts'
import { createProject } from './create-project.ts'
import { deleteProject } from './delete-project.ts'
import { getProject } from './get-project.ts'
import { linkSource, unlinkSource } from './link-source.ts'
import { listProjects } from './list-projects.ts'
import { updateProject } from './update-project.ts'

/** Answers the operations on projects. */
export const handlers: Handlers<typeof projectOperations> = {
  createProject: (ctx, { reach, body }) => createProject(ctx, reach, body),
  listProjects: (ctx, { reach, query }) => listProjects(ctx, reach, query),
  getProject: (ctx, { reach, params }) => getProject(ctx, reach, params.project_id),
  updateProject: (ctx, { reach, params, body }) => updateProject(ctx, reach, params.project_id, body),
  archiveProject: (ctx, { reach, params }) => archiveProject(ctx, reach, params.project_id),
  deleteProject: (ctx, { reach, params }) => deleteProject(ctx, reach, params.project_id),
  linkSource: (ctx, { reach, params }) =>
    linkSource(ctx, reach, { projectId: params.project_id, sourceId: params.source_id }),
  unlinkSource: (ctx, { reach, params }) =>
    unlinkSource(ctx, reach, { projectId: params.project_id, sourceId: params.source_id }),
}

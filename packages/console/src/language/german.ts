import { api } from './german/api.ts'
import { ask } from './german/ask.ts'
import { content } from './german/content.ts'
import { frame } from './german/frame.ts'
import { manage } from './german/manage.ts'

export { api }

/** The German text of each English text. Plural forms are separated by `|`, values are names in braces. */
export const german = { ...frame, ...ask, ...content, ...manage, ...api } as const

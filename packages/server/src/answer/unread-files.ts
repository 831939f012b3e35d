import type { UnreadFile } from '@cairnstore/contract'
import { terms } from '@cairnstore/engine/text'
import type { Row } from '../db/tables.ts'
import type { RefusalReason } from '../documents/document.ts'
import { filesIn, IS_UNREAD, pathOf } from '../ingest/files/store-files.ts'
import type { ReadSnapshot } from '../store/read-snapshot.ts'
import type { AccessScope } from '../tenancy/access/access-scope.ts'
import type { AnswerCtx } from './context.ts'

/** Notice about unread files that may contain the answer to a question. */
export interface UnreadNotice {
  unread: UnreadFile[]
  /** Sentence with the number of files and the reasons. */
  sentence: string
}

/** Maximum number of files that are named if there is no answer. */
const NAMED_MAX = 3
/** Maximum number of files that are examined, latest first. */
const LOOKED_AT = 1_000
/** Reasons for files whose format contains no text, such as images, audio and programs. */
const NO_TEXT_BY_KIND: ReadonlySet<string> = new Set<RefusalReason>(['unsupported_file', 'under_callers_key'])

/**
 * Returns the unread files in scope that may contain the answer. These are text documents, and files of other formats
 * whose path shares a term with the question. They are sorted by shared terms, then latest first. Paths that were read
 * later are left out. Returns undefined if there are none, or if the paths are encrypted and the request has no key.
 */
export async function unreadFor(
  ctx: Pick<AnswerCtx, 'key' | 'sql'>,
  access: AccessScope,
  { scope, projectId }: ReadSnapshot,
  asked: ReadonlySet<string>,
): Promise<UnreadNotice | undefined> {
  const rows = await ctx.sql.transact(access.holderId, (tx) => {
    const files = filesIn(tx, access)
      .where(IS_UNREAD)
      .where('reason', '<>', 'empty_file')
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom('import_file as later')
              .select('later.id')
              .whereRef('later.user_id', '=', 'import_file.user_id')
              .whereRef('later.sandbox_id', '=', 'import_file.sandbox_id')
              .whereRef('later.source_id', '=', 'import_file.source_id')
              .whereRef('later.path_key', '=', 'import_file.path_key')
              .whereRef('later.id', '>', 'import_file.id'),
          ),
        ),
      )
      .orderBy('id', 'desc')
      .limit(LOOKED_AT)
    if (scope === null) return files.execute()
    const sourceIds = [...(scope.sourceIds ?? [])]
    return files
      .where((is) =>
        is.or([
          is('project_id', '=', projectId),
          is.and([is('project_id', 'is', null), is('source_id', '=', is.fn.any(is.val(sourceIds)))]),
        ]),
      )
      .execute()
  })
  if (rows.length === 0) return undefined
  const fitting = rows
    .flatMap((row) => fileOf(row, pathOf(row, ctx.key?.seal), asked) ?? [])
    .sort((one, other) => other.fit - one.fit)
  if (fitting.length === 0) return undefined
  const sentence = sentenceOf(fitting)
  return {
    unread: fitting.slice(0, NAMED_MAX).map(({ path, reason }) => ({ path, reason })),
    sentence: rows.length < LOOKED_AT ? sentence : `At least ${sentence}`,
  }
}

interface Fitting extends UnreadFile {
  /** Number of the question's terms in the path. */
  fit: number
}

function fileOf(
  { reason }: Row<'import_file'>,
  path: string | undefined,
  asked: ReadonlySet<string>,
): Fitting | undefined {
  if (path === undefined || reason === null) return undefined
  const own = new Set(terms(path.replace(WORD_SEPARATORS, ' ')))
  const fit = [...own].filter((term) => asked.has(term)).length
  return fit > 0 || !NO_TEXT_BY_KIND.has(reason) ? { path, reason, fit } : undefined
}

/** Separators between words in a file path. */
const WORD_SEPARATORS = /[/._-]+/g

/** Description of a file for each reason why it was not read. */
const LABELS: Readonly<Partial<Record<string, string>>> = {
  no_text: 'scanned',
  file_encrypted: 'encrypted',
  file_damaged: 'damaged',
  file_too_large: 'too large',
  took_too_long: 'too large',
  took_too_much: 'too large',
  unsupported_file: 'unsupported',
} satisfies Partial<Record<RefusalReason, string>>
const DEFAULT_LABEL = 'unreadable'

/** Returns a sentence such as "3 files here were not read (2 scanned PDFs, 1 encrypted XLSX)." */
function sentenceOf(files: readonly UnreadFile[]): string {
  const counts = new Map<string, number>()
  for (const { path, reason } of files) {
    const kind = `${LABELS[reason] ?? DEFAULT_LABEL} ${ENDING.exec(path)?.[1]?.toUpperCase() ?? 'file'}`
    counts.set(kind, (counts.get(kind) ?? 0) + 1)
  }
  const groups = [...counts].map(([kind, count]) => `${count} ${kind}${count === 1 ? '' : 's'}`)
  const [noun, were] = files.length === 1 ? ['file', 'was'] : ['files', 'were']
  return `${files.length} ${noun} here ${were} not read (${groups.join(', ')}).`
}

/** Matches a file extension of at most five characters. */
const ENDING = /\.(\w{1,5})$/

import type { UnreadFile } from '@cairnstore/contract'
import { terms } from '@cairnstore/engine/text'
import type { Row } from '../db/tables.ts'
import { filesIn, IS_UNREAD, pathOf } from '../ingest/files/show-files.ts'
import type { Ground } from '../store/ground.ts'
import type { Reach } from '../tenancy/reach/reach.ts'
import type { Ctx } from './context.ts'

/** Files that could not be read and may hold what a question asks for. */
export interface Unread {
  unread: UnreadFile[]
  /** How many there are, and why, in a sentence. */
  sentence: string
}

/** Files that a refusal names. */
const NAMED_MAX = 3
/** Files looked at for that, the latest. */
const LOOKED_AT = 1_000

/**
 * The files of the scope that were not read, whose name or kind fits the question: a term of the path, or of what
 * people call such a file, stands in it. A document whose name says nothing ("scan0012.pdf") fits any. Undefined
 * without such files, and where their paths are under a key that is not here. A path that was read later is not among
 * them.
 */
export async function unreadFor(
  ctx: Pick<Ctx, 'key' | 'sql'>,
  reach: Reach,
  { scope, projectId }: Ground,
  query: string,
): Promise<Unread | undefined> {
  const rows = await ctx.sql.transact(reach.holderId, (tx) => {
    const files = filesIn(tx, reach)
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
  const asked = new Set(terms(query))
  const fitting = rows
    .flatMap((row) => fileOf(row, pathOf(row, ctx.key?.seal), asked) ?? [])
    .sort((one, other) => other.fit - one.fit)
  if (fitting.length === 0) return undefined
  return {
    unread: fitting.slice(0, NAMED_MAX).map(({ path, reason }) => ({ path, reason })),
    sentence: sentenceOf(fitting.map(({ kind }) => kind)),
  }
}

interface Fitting extends UnreadFile {
  /** What people call such a file, in the singular and in the plural. */
  kind: Kind
  fit: number
}

function fileOf(
  { reason }: Row<'import_file'>,
  path: string | undefined,
  asked: ReadonlySet<string>,
): Fitting | undefined {
  if (path === undefined || reason === null) return undefined
  const kind = kindOf(path, reason)
  const own = new Set(terms(path.replace(/[/._-]+/g, ' ')))
  const isOfKind = terms(kind.words).some((term) => asked.has(term))
  const shared = [...own].filter((term) => asked.has(term)).length
  const fit = shared + (isOfKind ? 1 : 0) || (kind.mayHoldAny && SAYS_NOTHING.test(path) ? NAMELESS_FIT : 0)
  return fit > 0 ? { path, reason, kind, fit } : undefined
}

/** A file whose name says nothing comes after any whose name fits. */
const NAMELESS_FIT = 0.5
/** Names that machines give: a word for the machine's work, and numbers. */
const SAYS_NOTHING =
  /^(?:.*\/)?(?:scans?|img|image|dsc|doc|document|file|page|untitled|unnamed)?[\d\s_().-]*(?:\.[a-z]+)?$/i

interface Kind {
  one: string
  many: string
  /** By which a question means such a file. */
  words: string
  /** A text that is not read may say anything; a picture hardly does. */
  mayHoldAny: boolean
}

const KINDS: Readonly<Record<string, Kind>> = {
  scan: { one: 'scanned PDF', many: 'scanned PDFs', words: 'scan scanned PDF', mayHoldAny: true },
  no_text: { one: 'without text', many: 'without text', words: 'picture image scan', mayHoldAny: true },
  file_encrypted: { one: 'encrypted', many: 'encrypted', words: 'encrypted password', mayHoldAny: true },
  file_damaged: { one: 'damaged', many: 'damaged', words: 'damaged broken', mayHoldAny: true },
  file_too_large: { one: 'too large', many: 'too large', words: '', mayHoldAny: true },
  took_too_long: { one: 'not to its end', many: 'not to their end', words: '', mayHoldAny: true },
  took_too_much: { one: 'not to its end', many: 'not to their end', words: '', mayHoldAny: true },
  picture: { one: 'picture', many: 'pictures', words: 'picture photo image screenshot', mayHoldAny: false },
  sound: { one: 'recording', many: 'recordings', words: 'recording audio sound voice', mayHoldAny: false },
  film: { one: 'film', many: 'films', words: 'film video recording', mayHoldAny: false },
  office: { one: 'older Office file', many: 'older Office files', words: 'Word Excel PowerPoint', mayHoldAny: true },
}
const OTHER: Kind = {
  one: 'of a kind that is not read',
  many: 'of kinds that are not read',
  words: '',
  mayHoldAny: false,
}
const BY_ENDING: Readonly<Record<string, readonly string[]>> = {
  picture: ['png', 'jpg', 'jpeg', 'gif', 'webp', 'tif', 'tiff', 'bmp', 'heic', 'svg'],
  sound: ['mp3', 'wav', 'm4a', 'ogg', 'flac', 'aac', 'opus'],
  film: ['mp4', 'mov', 'avi', 'mkv', 'webm', 'wmv'],
  office: ['doc', 'xls', 'ppt', 'xlsb'],
}

function kindOf(path: string, reason: string): Kind {
  const ending = /\.([^./]+)$/.exec(path)?.[1]?.toLowerCase() ?? ''
  if (reason === 'no_text' && ending === 'pdf') return KINDS.scan!
  if (reason !== 'unsupported_file') return KINDS[reason] ?? OTHER
  const name = Object.keys(BY_ENDING).find((each) => BY_ENDING[each]!.includes(ending))
  return (name && KINDS[name]) || OTHER
}

function sentenceOf(kinds: readonly Kind[]): string {
  const counts = new Map<Kind, number>()
  for (const kind of kinds) counts.set(kind, (counts.get(kind) ?? 0) + 1)
  const told = [...counts].map(([{ one, many }, count]) => `${count} ${count === 1 ? one : many}`)
  const [files, were] = kinds.length === 1 ? ['file', 'was'] : ['files', 'were']
  return `${kinds.length} ${files} here ${were} not read (${told.join(', ')}).`
}

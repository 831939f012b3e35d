import type { ReadRecord } from '../knowledge/read-records.ts'

/** Properties that hold paths of files, alone or in a list. */
const PATH_PROPERTIES = ['path', 'file_path', 'file_paths', 'files']

/** The files that a record names, each once: things of type `file`, and paths in its properties. */
export function filePaths({ properties }: ReadRecord['content'], things: ReadRecord['things']): string[] {
  const declared = things.flatMap(({ thing }) => (thing.type === 'file' ? [thing.names[0]?.text] : []))
  const given = PATH_PROPERTIES.flatMap((name) => properties?.[name])
  return [...new Set([...given, ...declared])].filter((path): path is string => typeof path === 'string' && path !== '')
}

import { parseExactly } from '../../packages/server/src/documents/exact-json.ts'
import type { ExportFiles, ExportItem } from '../../packages/server/src/sources/connectors/export-reader.ts'
import { formatOfFiles, readFiles } from '../../packages/server/src/sources/connectors/exports.ts'

const tools = { scope: '', json: (bytes: Uint8Array) => parseExactly(Buffer.from(bytes).toString()) }

/** Returns files that are read in chunks of seven bytes, so that tests cover any chunk boundary. */
function filesOf(contents: Record<string, unknown>): ExportFiles {
  const bytes = (value: unknown) => Buffer.from(typeof value === 'string' ? value : JSON.stringify(value))
  const names = Object.keys(contents)
  return {
    names,
    files: async function* (isWanted) {
      for (const name of names.filter(isWanted)) {
        const whole = bytes(contents[name])
        const open = async function* () {
          for (let at = 0; at < whole.length; at += 7) yield whole.subarray(at, at + 7)
        }
        yield { name, bytes: whole.length, open }
      }
    },
  }
}

/** Resolves with the detected format of files and the items that are read from them. */
export async function itemsOf(contents: Record<string, unknown>): Promise<[string | undefined, ExportItem[]]> {
  const files = filesOf(contents)
  const format = await formatOfFiles(files, tools)
  const items: ExportItem[] = []
  if (format) for await (const item of readFiles(format, files, tools)) items.push(item)
  return [format, items]
}

/** Returns the records among items. */
export const recordsIn = (items: ExportItem[]) => items.flatMap((item) => ('record' in item ? item.record : []))
/** Returns the files that were not read, each with the reason. */
export const errorsIn = (items: ExportItem[]) =>
  items.flatMap((item) => ('error' in item ? [[item.file, item.error.reason]] : []))

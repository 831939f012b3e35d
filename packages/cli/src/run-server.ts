import { Failure } from './output.ts'

/** One result of a check: the subject, whether it is good, and a sentence that says what to do. */
export interface Finding {
  about: string
  isGood: boolean
  sentence: string
}

/** Commands that the server package runs on the local data folder. It parses its arguments itself. */
export const SERVER_COMMANDS = [
  { word: 'serve', operands: '', summary: 'Run the service; docs/settings.md lists its settings' },
  {
    word: 'backup',
    operands: 'FILE [--with-keys]',
    summary: 'Back up the data folder to one file, while the service is stopped',
  },
  { word: 'restore', operands: 'FILE', summary: 'Restore a backup into a new data folder' },
  {
    word: 'repair',
    operands: '[--apply] [--erased LIST] [--while-serving]',
    summary: 'Repair after restoring database and storage from different times',
  },
] as const

/** The server package is loaded only on demand: clients of a remote service do not need it. */
const SERVER_PACKAGE: string = '@cairnstore/server'

/** Runs the server package in this process. Throws Failure if it is not installed. */
export async function runServer(args: string[]): Promise<number> {
  const { main } = await importServer(args[0]!)
  await main(args)
  return Number(process.exitCode ?? 0)
}

/** Returns the server package's findings on this machine; undefined if it is not installed. */
export async function examineMachine(): Promise<Finding[] | undefined> {
  try {
    return await (await importServer('doctor')).examineMachine()
  } catch (error) {
    if (error instanceof Failure) return undefined
    throw error
  }
}

/** Returns the server package's findings on all processes of one database. Throws Failure if it is not installed. */
export async function examineCluster(): Promise<Finding[]> {
  return (await importServer('doctor --cluster')).examineCluster()
}

interface ServerPackage {
  main(args: string[]): Promise<void>
  examineMachine(): Promise<Finding[]>
  examineCluster(): Promise<Finding[]>
}

async function importServer(word: string): Promise<ServerPackage> {
  try {
    return await import(SERVER_PACKAGE)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error
    const detail = `\`cairn ${word}\` needs the package ${SERVER_PACKAGE}, installed and built with this program.`
    throw new Failure(detail, { error: 'not_installed', detail })
  }
}

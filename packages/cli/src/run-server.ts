import { Failure } from './output.ts'

/** One result of an examination: the subject, whether it is good, and a sentence that says what to do. */
export interface Finding {
  about: string
  isGood: boolean
  sentence: string
}

/** What the service's own package does with this machine's data folder; it reads the arguments itself. */
export const SERVER_COMMANDS = [
  { word: 'serve', operands: '', summary: 'Serve until a signal; docs/settings.md lists its settings' },
  {
    word: 'backup',
    operands: 'FILE [--with-keys]',
    summary: 'Write the data folder to one file, while nothing serves from it',
  },
  { word: 'restore', operands: 'FILE', summary: 'Make a new data folder from such a file' },
  {
    word: 'repair',
    operands: '[--apply] [--erased LIST] [--while-serving]',
    summary: 'Bring a database and a storage of different times together again',
  },
] as const

/** The service is not needed to speak to one elsewhere, so its package is only looked for when it is to run here. */
const SERVER_PACKAGE: string = '@cairnstore/server'

/** Runs the service's package in this process; throws Failure when it is not installed. */
export async function runServer(args: string[]): Promise<number> {
  const { main } = await importServer(args[0]!)
  await main(args)
  return Number(process.exitCode ?? 0)
}

/** The findings of the service's package on this machine; undefined when it is not installed. */
export async function examineMachine(): Promise<Finding[] | undefined> {
  try {
    return await (await importServer('doctor')).examineMachine()
  } catch (error) {
    if (error instanceof Failure) return undefined
    throw error
  }
}

/** The findings of the service's package on all processes of one database; throws Failure when it is not installed. */
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
    const detail = `\`cairn ${word}\` needs the service itself, ${SERVER_PACKAGE}, installed and built beside this.`
    throw new Failure(detail, { error: 'not_installed', detail })
  }
}

/** What a program reads about a failure: the service's own error body, or one of the same form. */
export interface FailureBody {
  error: string
  detail: string
  [more: string]: unknown
}

/** The command was asked for in a way that cannot be: nothing was sent. */
const EXIT_USAGE = 2

/** The command was carried out and failed. */
export const EXIT_FAILED = 1

/** The command was carried out, and something of what it was given was left out. */
export const EXIT_LEFT_OUT = 3

/** A command that did not succeed: its message is for people, its body for programs. */
export class Failure extends Error {
  override name = 'Failure'
  readonly body: FailureBody
  readonly exitCode: number
  /** The status of the reply that it was told by, where one was. */
  status?: number

  constructor(message: string, body: FailureBody, exitCode: number = EXIT_FAILED) {
    super(message)
    this.body = body
    this.exitCode = exitCode
  }
}

/** The failure of a command that cannot be as it was typed, or with the settings there are. */
export function usageFailure(detail: string): Failure {
  return new Failure(detail, { error: 'usage', detail }, EXIT_USAGE)
}

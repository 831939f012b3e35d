import type { Access, Operation } from '@cairnstore/contract'
import type { Form, Typed } from './inputs.ts'

/** A command that is more than one call of an operation, or none. */
export interface OwnCommand {
  /** Its name: one word or two. */
  readonly words: readonly [string, ...string[]]
  /** Its operands as usage texts show them. */
  readonly operands: string
  readonly summary: string
  /** Further help, in sentences. */
  readonly about?: string
  /** What key it needs; none when omitted. */
  readonly access?: Access
  /** The help text of each operand. */
  readonly given: Readonly<Record<string, string>>
  readonly options: Readonly<Record<string, OwnOption>>
  /** The operation whose optional fields are options too. */
  readonly operation?: Operation
  /** Fields of the operation that are no options of the command. */
  readonly without?: readonly string[]
  /** Whether it works in a sandbox, which `--sandbox` names. */
  readonly isInside?: true
  /** An example of the command, without `cairn`. */
  readonly examples: readonly string[]
  /** Carries it out and gives the exit code; throws Failure when it cannot. */
  readonly run: (typed: Typed, program: Program) => Promise<number>
}

/** What the program offers to its commands. */
export interface Program {
  /** Completions of the last of these words. */
  offersFor(words: readonly string[]): string[]
}

interface OwnOption {
  readonly form: Form
  readonly meaning: string
}

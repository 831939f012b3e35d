import type { Access, Operation } from '@cairnstore/contract'
import type { OptionType, ParsedArguments } from './inputs.ts'

/** A command that is not exactly one call of an operation. */
export interface OwnCommand {
  /** Name: one or two words. */
  readonly words: readonly [string, ...string[]]
  /** Operands as shown in usage texts. */
  readonly operands: string
  readonly summary: string
  /** Further help, in sentences. */
  readonly about?: string
  /** Kind of key that the command needs; omitted if none. */
  readonly access?: Access
  /** Help text of each operand. */
  readonly given: Readonly<Record<string, string>>
  readonly options: Readonly<Record<string, OwnOption>>
  /** Operation whose optional fields become options of the command. */
  readonly operation?: Operation
  /** Fields of the operation that are not options of the command. */
  readonly without?: readonly string[]
  /** True if the command works in a sandbox, which `--sandbox` names. */
  readonly isInside?: true
  /** Examples of the command, without `cairn`. */
  readonly examples: readonly string[]
  /** Runs the command and returns the exit code. Throws Failure if it fails. */
  readonly run: (typed: ParsedArguments, program: Program) => Promise<number>
}

/** Functions of the program that commands can use. */
export interface Program {
  /** Returns completions of the last of these words. */
  offersFor(words: readonly string[]): string[]
}

interface OwnOption {
  readonly form: OptionType
  readonly meaning: string
}

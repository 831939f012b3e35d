import { ADD } from './adding/add.ts'
import { ASK, CHAT } from './ask.ts'
import { AUTHORIZE, CONNECT } from './authorize.ts'
import { COMPLETION } from './complete.ts'
import { DOCTOR } from './doctor.ts'
import { EVAL } from './evaluating/eval-command.ts'
import { EVAL_MAKE } from './evaluating/make-questions.ts'
import { IMPORT } from './import-path.ts'
import { MCP } from './mcp-bridge.ts'
import type { OwnCommand } from './own-command.ts'
import { CONSOLE, PROFILES, RESET } from './profile-commands.ts'
import { INIT } from './starting/init.ts'

/** Every command that is not exactly one call of an operation, in the order in which a new user needs them. */
export const OWN_COMMANDS: readonly OwnCommand[] = [
  INIT,
  ADD,
  ASK,
  CHAT,
  // Must precede `eval`, which takes a file.
  EVAL_MAKE,
  EVAL,
  IMPORT,
  CONNECT,
  AUTHORIZE,
  MCP,
  CONSOLE,
  PROFILES,
  DOCTOR,
  COMPLETION,
  RESET,
]
